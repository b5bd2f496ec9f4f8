import { readFileSync } from 'node:fs';
import { isDeep } from '@petstore/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { isJson } from '../../openapi/body.ts';
import { parseJson } from '../../openapi/compare.ts';
import { operationsOf, resolve } from '../../openapi/document.ts';
import { exampleInputs, NoExampleError } from '../../openapi/examples.ts';
import { exampleCredentials, MissingCredentialError } from '../../openapi/security.ts';
import { expectedRequest } from '../../openapi/serialize.ts';
import { UnspecifiedError } from '../../openapi/styles.ts';
import { type Case, constructs } from './cases.ts';
import { publicDocuments, unjudged } from './documents.ts';
import { readDocument } from './read-document.ts';

const ordinary = publicDocuments.filter(({ isLarge }) => !isLarge);
const judged = isDeep ? publicDocuments : ordinary;

const VALIDATOR_ERRORS: Record<string, unknown> = {
  // It treats all schemas of a document as one, in which such an anchor must be unique.
  'scalar-galaxy': {
    valid: false,
    errors: expect.stringContaining("$dynamicAnchor : 'itemType' defined more than once"),
  },
  // It takes a `$ref` in an example for a reference.
  github: { valid: false, errors: expect.stringContaining('only internal refs are supported') },
};
const validator = new Validator();

describe.each(publicDocuments)('$name', ({ file, licence, licenceText, isLarge }) => {
  test('comes with a permissive licence', () => {
    expect(['MIT', 'Apache-2.0']).toContain(licence);
    expect(licenceText).toContain('Permission is hereby granted, free of charge');
    const text = readFileSync(file, 'utf8');
    const { license } = JSON.parse(text).info;
    expect(license?.name ?? '').not.toMatch(/NonCommercial|ShareAlike|\bNC\b|\bSA\b/);
    if (!isLarge) expect(text.length).toBeLessThanOrEqual(500_000);
  });
});

describe.each([...judged, ...constructs])('$name', async ({ name, file }) => {
  const document = await readDocument(file);

  test('is valid OpenAPI', async () => {
    const { valid, errors } = await validator.validate(structuredClone({ ...document.root }));
    expect({ valid, errors }).toEqual(VALIDATOR_ERRORS[name] ?? { valid: true, errors: undefined });
  });

  test('has example inputs for every operation, with known requests', () => {
    const credentials = exampleCredentials(document);
    const open = operationsOf(document).flatMap((operation) => {
      try {
        for (const { inputs } of exampleInputs(document, operation))
          expectedRequest(document, operation.id, inputs, credentials);
        return [];
      } catch (error) {
        if (error instanceof UnspecifiedError || error instanceof NoExampleError) return [operation.id];
        throw error;
      }
    });
    const cases = constructs.find((construct) => construct.name === name)?.cases ?? [];
    const unspecified = cases.filter(({ fails }) => fails === 'unspecified').map(({ operation }) => operation);
    expect(new Set(open)).toEqual(new Set(unjudged[name] ?? unspecified));
  });
});

test('the public documents have 150 to 250 operations', async () => {
  const documents = await Promise.all(ordinary.map(({ file }) => readDocument(file)));
  const count = documents.flatMap(operationsOf).length;
  expect(count).toBeGreaterThanOrEqual(150);
  expect(count).toBeLessThanOrEqual(250);
});

describe.each(constructs)('$name', async ({ file, cases }) => {
  const document = await readDocument(file);
  const operations = operationsOf(document);

  test('has a case for every operation', () => {
    expect(new Set(cases.map(({ operation }) => operation))).toEqual(new Set(operations.map(({ id }) => id)));
  });

  test.each(cases)('$operation is sent as the case says', ({ operation, inputs, credentials, fails, request }) => {
    const judge = () => expectedRequest(document, operation, inputs, credentials);
    if (fails === 'unspecified') expect(judge).toThrow(UnspecifiedError);
    else if (fails === 'missing credential') expect(judge).toThrow(MissingCredentialError);
    else expect(judge()).toEqual(request);
  });

  test('every response of a case is declared, and has the expected result', () => {
    for (const { operation, response, result } of cases) {
      if (!response) continue;
      const { responses = {} } = operations.find(({ id }) => id === operation)?.object ?? {};
      const range = `${Math.floor(response.status / 100)}XX`;
      const declared = (responses[response.status] ?? responses[range] ?? responses.default) as object | undefined;
      expect(declared, `${operation} ${response.status}`).toBeDefined();
      const { content = {} } = resolve(document, declared ?? {}) as { content?: object };
      expect(Object.keys(content).map(baseType)).toEqual(
        response.contentType ? expect.arrayContaining([baseType(response.contentType)]) : [],
      );
      expect(result, `${operation} ${response.status}`).toEqual(resultOf(response));
    }
  });
});

const baseType = (mediaType: string) => mediaType.split(';')[0];

/** The result of a response by its status and Content-Type alone. */
function resultOf({ status, contentType, body, bytes }: NonNullable<Case['response']>): Case['result'] {
  const error = status >= 400 ? { status } : {};
  if (contentType === undefined) return { ...error, none: true };
  if (isJson(contentType)) return { ...error, json: parseJson(body ?? '') };
  return contentType.startsWith('text/')
    ? { ...error, text: body ?? '' }
    : { ...error, bytes: bytes ?? new Uint8Array() };
}
