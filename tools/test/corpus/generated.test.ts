import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeep, newFolder } from '@petstore/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { constructs } from './cases.ts';
import { publicDocuments } from './documents.ts';
import { typeErrors } from './generated-client.ts';
import { loadPetctl } from './generated-petctl.ts';
import { dryRunViolations, examplesOf, type Outcome, outcomeOf, table } from './outcome.ts';
import { readDocument } from './read-document.ts';

/** The constructs that the generator rejects. Everything else is sent as the judge, tools/openapi, says. */
const REJECTED: Record<string, string[]> = {
  'body-multipart-headers': ['the part header has no fixed value'],
  'cookie-exploded': ['an exploded list or object in a cookie'],
  'names-reserved': ["an input with the name 'constructor'"],
  'query-deep-object-nested': ["style 'deepObject' cannot express"],
  'query-delimited-unspecified': ['OpenAPI does not define style'],
  'same-name-in-places': ['is both a path parameter and a query parameter'],
  'security-other': ['clients do not support the security schemes'],
  'servers-relative-to-document': ['is relative to this document'],
  'parameters-style': [
    'an exploded list or object in a cookie',
    'GET has a body',
    "a list with style 'deepObject'",
    'the path contains a query or a fragment',
  ],
  'server-path-level': ['is relative to this document'],
  readme: ["the command 'categories get' is already used by getCategories"],
};

/** The quick run takes a part of the constructs, always the same one. */
const tried = [
  ...constructs.filter((_, i) => isDeep || i % 4 === 0),
  ...(isDeep ? publicDocuments.map(({ name, file }) => ({ name, file, cases: undefined })) : []),
];

const outcomes = new Map<string, Outcome>();
const folder = newFolder('generated-client', afterAll);

describe.each(tried)('$name', ({ name, file, cases }) => {
  test('is sent and read as OpenAPI says, or rejected', async () => {
    const outcome = await outcomeOf(file, cases ?? examplesOf(await readDocument(file)), join(folder, name));
    outcomes.set(name, outcome);
    const expected = (REJECTED[name] ?? []).map((message) => expect.stringContaining(message));
    expect(outcome.messages).toEqual(expected.length > 0 ? expect.arrayContaining(expected) : []);
    expect(outcome.wrong).toEqual([]);
  });

  test.runIf(isDeep)('has one command of petctl for each operation, whose dry run shows the same request', async () => {
    const outcome = outcomes.get(name);
    if (!outcome?.client) return;
    const petctl = await loadPetctl(join(folder, name));
    for (const { command, fields } of outcome.client.operations) {
      const { flags = [], fields: options = [] } = petctl.commands.get(command.join(' ')) ?? {};
      const inputs = Object.keys(fields).filter((input) => fields[input]?.in !== 'path');
      expect([command, options.toSorted()]).toEqual([command, inputs.toSorted()]);
      expect(new Set(flags).size).toBe(flags.length);
    }
    expect(await dryRunViolations(petctl, outcome, join(folder, name))).toEqual([]);
  });
});

/** The documents whose types the quick run compiles. */
const COMPILED = ['body-multipart-encoding', 'query-types', 'servers-per-operation'];

test('the generated types, table and functions compile', () => {
  const compiled = [...outcomes.keys()].filter((name) => isDeep || COMPILED.includes(name));
  expect(typeErrors(folder, compiled)).toEqual([]);
});

test.runIf(isDeep)('the results are those of the README', () => {
  const rows = new Map(constructs.map(({ name }) => [name, 'constructs']));
  const found = table(outcomes, (name) => rows.get(name) ?? name);
  console.log(found);
  expect(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')).toContain(found);
});
