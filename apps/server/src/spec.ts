// The spec as a file, for what the generated table of operations does not have.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Operation } from '@petstore/types';
import { parse } from 'yaml';

/** An object of the spec. */
type SpecNode = Readonly<Record<string, unknown>>;

export function readSpec(): string {
  return readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
}

export function parseSpec(): SpecNode {
  return parse(readSpec(), { maxAliasCount: 1000, merge: true });
}

let parsed: SpecNode | undefined;

/** The names in lower case of the headers that the spec declares for a response. */
export function headersDeclaredFor(operation: Operation, status: number): ReadonlySet<string> {
  parsed ??= parseSpec();
  const method = operation.method.toLowerCase();
  const responses = nodeAt(parsed, ['paths', operation.path, method, 'responses']);
  const response = followed(parsed, responses[status] ?? responses.default);
  const headers = followed(parsed, response.headers);
  return new Set(Object.keys(headers).map((name) => name.toLowerCase()));
}

/** The object at a path, with references followed. An empty one if there is none. */
function nodeAt(spec: SpecNode, path: readonly string[]): SpecNode {
  let node = spec;
  for (const name of path) node = followed(spec, node[name]);
  return node;
}

/** The object that a value is, or refers to by `$ref`. An empty one if there is none. */
function followed(spec: SpecNode, value: unknown): SpecNode {
  if (typeof value !== 'object' || value === null) return {};
  const node = value as SpecNode;
  const { $ref: reference } = node;
  if (typeof reference !== 'string') return node;
  return nodeAt(spec, reference.split('/').slice(1));
}
