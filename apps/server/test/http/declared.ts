import { type Operation, operations } from '@petstore/types';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { specText } from '../../src/spec.ts';

interface Declared {
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: object }>;
}

const spec = parse(specText);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(spec, 'spec');

/** What HTTP itself, or the server's surroundings, put into an answer; the spec does not speak of these. */
const ofHttp = ['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding', 'accept'];

/** Holds an answer to what the spec declares for the operation: its status, its headers, and its body to the last member. */
export async function expectDeclared({ id, method, path }: Operation, response: Response): Promise<unknown> {
  const pointer = ['paths', path, method.toLowerCase(), 'responses'];
  const responses = pointer.reduce((node, key) => node[key], spec);
  const key = String(response.status) in responses ? String(response.status) : 'default';
  const { $ref } = responses[key];
  const at = $ref ? $ref.slice(2).split('/') : [...pointer, key];
  const declared: Declared = at.reduce((node: Record<string, never>, step: string) => node[step], spec);

  const undeclared = [...response.headers.keys()].filter((name) => !ofHttp.includes(name));
  const known = Object.keys(declared.headers ?? {}).map((name) => name.toLowerCase());
  expect(
    undeclared.filter((name) => !known.includes(name)),
    `undeclared headers of ${id} ${response.status}`,
  ).toEqual([]);

  const body: unknown = await response.json();
  const schema = `spec#/${[...at, 'content', 'application/json', 'schema'].map(escaped).join('/')}`;
  const validate = ajv.getSchema(schema) ?? ajv.compile({ $ref: schema });
  expect(validate(body), `${id} ${response.status} ${JSON.stringify(body)}: ${ajv.errorsText(validate.errors)}`).toBe(
    true,
  );
  if (!response.ok) expect(body).toMatchObject({ status: response.status });
  return body;
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

export const everyOperation = Object.values<Operation>(operations);
