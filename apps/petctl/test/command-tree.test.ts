import { type Operation, operations, type RequestBody, type Schema } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { examplesOf, help } from '../src/commands/help/help.ts';
import { fullTree } from '../src/commands/tree.ts';
import type { CommandNode } from '../src/parse/command.ts';
import { parse } from '../src/parse/parser.ts';
import { bareOperation, field, helpOf, io, operation } from './inputs.ts';

const commandsOf = (node: CommandNode, group: string) =>
  node.commands?.find(({ name }) => name === group)?.commands?.map(({ name }) => name);

describe('commands come from the operations', () => {
  test('the spec has its commands', () => {
    const names = commandsOf(fullTree(Object.values(operations)), 'pets');
    expect(names).toEqual(expect.arrayContaining(['list', 'create', 'get', 'import']));
  });

  test('a group named like a built-in command is rejected', () => {
    expect(() => fullTree([{ ...bareOperation, command: ['auth', 'list'] }])).toThrow("'petctl auth' is built in");
  });

  test('the name of an import depends on its own operation only', () => {
    const post = (name: string): Operation => ({
      ...bareOperation,
      id: `${name}Thing`,
      method: 'POST',
      command: ['things', name],
      fields: { name: field({ type: 'string' }, 'body') },
    });
    expect(commandsOf(fullTree([post('create'), post('clone')]), 'things')).toEqual([
      'create',
      'clone',
      'import',
      'import-clone',
    ]);
  });

  test('an operation named like an import is rejected, too', () => {
    const create: Operation = {
      ...bareOperation,
      id: 'createThing',
      method: 'POST',
      command: ['things', 'create'],
      fields: { name: field({ type: 'string' }, 'body') },
    };
    expect(() => fullTree([create, { ...bareOperation, id: 'importThings', command: ['things', 'import'] }])).toThrow(
      "'petctl things import' is built in",
    );
  });
});

describe('flags come from the fields', () => {
  const operation: Operation = {
    ...bareOperation,
    fields: {
      wideOpen: field({ type: 'boolean' }),
      tags: field({ type: 'array', items: { type: 'string' } }),
      output: field({ type: 'string' }),
      weight: field({ type: 'number', exclusiveMinimum: 0, maximum: 10 }),
      'X-Trace': field({ type: 'string' }, 'header'),
    },
  };
  const root = fullTree([operation]);
  const flags = (...argv: string[]) => Object.fromEntries(parse(root, ['things', 'list', ...argv]).flags);

  test('switches, lists, headers, and names that petctl reserves', () => {
    expect(
      flags('--wide-open', '--tags', 'a', '--tags', 'b', '--query-output', 'x', '--weight', '0.5', '--x-trace', 't'),
    ).toEqual({
      'wide-open': true,
      tags: ['a', 'b'],
      'query-output': 'x',
      weight: 0.5,
      'x-trace': 't',
    });
    expect(flags('--no-wide-open')).toEqual({ 'wide-open': false });
  });

  test('inputs with similar names have distinct flags', () => {
    const names = ['pet_id', 'petId', 'Pet-Id', '-', '$filter', 'output'];
    const fields = Object.fromEntries(names.map((name) => [name, field({ type: 'string' })]));
    const node = fullTree([{ ...bareOperation, fields }]).commands?.[0]?.commands?.[0];
    expect((node?.flags ?? []).slice(0, names.length).map(({ name }) => name)).toEqual([
      'pet-id',
      'query-pet-id',
      'query-pet-id-2',
      'value',
      'filter',
      'query-output',
    ]);
  });

  test('an int64 without bounds is exact over its whole range, and no wider', () => {
    const root = fullTree([{ ...bareOperation, fields: { big: field({ type: 'integer', format: 'int64' }) } }]);
    const read = (word: string) => parse(root, ['things', 'list', `--big=${word}`]).flags.get('big');
    expect(['9223372036854775807', '-9223372036854775808', '7'].map(read)).toEqual([2n ** 63n - 1n, -(2n ** 63n), 7]);
    expect(() => read('9223372036854775808')).toThrow('is too large to be exact');
  });

  test.each(['0', '11', 'x', '1e', ''])('--weight %j is rejected', (weight) => {
    expect(() => flags(`--weight=${weight}`)).toThrow('--weight');
  });

  test('flags may precede and follow the name of a command', () => {
    expect(Object.fromEntries(parse(root, ['-v', '--fields', 'id', 'things', '-v', 'list', '-vv']).flags)).toEqual({
      verbose: 4,
      fields: 'id',
    });
  });
});

test('help shows examples first, then ranges, server defaults and deprecations', () => {
  const root = fullTree(Object.values(operations));
  const of = (name: string) => {
    const node = root.commands?.find((one) => one.name === 'pets')?.commands?.find((one) => one.name === name);
    return node ? help({ path: ['pets', name], node }, io) : '';
  };
  const list = of('list');
  expect(list.indexOf('Examples')).toBeLessThan(list.indexOf('Usage'));
  expect(list.indexOf('Usage')).toBeLessThan(list.indexOf('Flags'));
  const limit = operations.listPets.fields.limit.schema;
  expect(list).toContain(`from ${limit.minimum} to ${limit.maximum}; server default: ${limit.default}`);
  expect(of('get')).toContain(
    `Deprecated: may be removed from ${operations.getPet.sunset} on. Use 'petctl pets list' instead.`,
  );
});

test('examples are words of a shell', () => {
  const fields = {
    thing: { ...field({ type: 'string' }, 'path'), required: true },
    state: { ...field({ type: 'string', enum: ["isn't here"] }), required: true },
  };
  const node = fullTree([{ ...bareOperation, path: '/things/{thing}', fields }]).commands?.[0]?.commands?.[0];
  const [example] = node ? examplesOf({ path: ['things', 'list'], node }) : [];
  expect(example?.[0]).toBe("petctl things list 'a thing' --state 'isn'\\''t here'");
});

test('examples have valid texts, or are left out', () => {
  const examples = (schemas: Record<string, Schema>, body?: RequestBody) => {
    const of = operation(schemas, body);
    const fields = Object.entries(of.fields).map(([name, one]) => [name, { ...one, required: true }]);
    const [group] = fullTree([{ ...of, fields: Object.fromEntries(fields) }]).commands ?? [];
    const node = group?.commands?.[0];
    return node
      ? examplesOf({ path: ['things', 'put'], node }).map(([line]) => line.replace('petctl things put ', ''))
      : [];
  };
  const texts: [schema: Schema, example: string][] = [
    [{ type: 'string', format: 'date' }, '2026-01-31'],
    [{ type: ['string', 'null'], format: 'date-time' }, "'2026-01-31T12:00:00Z'"],
    [{ type: 'string', minLength: 8 }, "'a texxxx'"],
    [{ type: 'string', maxLength: 3 }, "'a t'"],
    [{ oneOf: [{ type: 'string', enum: ['sold'] }, { type: 'null' }] }, 'sold'],
  ];
  for (const [schema, example] of texts) expect(examples({ te: schema })).toContain(`--te ${example}`);
  const code: Schema = { type: 'string', pattern: '^[A-Z]{3}$' };
  expect(examples({ code })).toEqual(['--data @body.json']);
  expect(examples({ price: { type: 'object', required: ['code'], properties: { code } } })).toEqual([
    '--data @body.json',
  ]);
  const bytes = { required: true, mediaType: 'image/jpeg', kind: 'bytes', whole: true } as const;
  expect(examples({ body: { type: 'string', format: 'binary' } }, bytes)).toEqual(['--data @body.bin']);
});

test('help shows the values of an enum that may be null, and both bounds of a length', () => {
  const outcome: Schema = { oneOf: [{ type: 'string', enum: ['healthy', 'treated'] }, { type: 'null' }] };
  const text = helpOf(operation({ outcome, name: { type: 'string', minLength: 1, maxLength: 9 } }));
  expect(text).toContain('One (one of healthy, treated).');
  expect(text).toContain('One (from 1 to 9 characters).');
});

test('stability markers are shown', () => {
  const root = fullTree([{ ...bareOperation, stability: 'beta' }]);
  expect(root.commands?.[0]?.commands?.[0]?.notice).toContain('beta');
});
