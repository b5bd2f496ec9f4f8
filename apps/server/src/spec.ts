// The spec as a file, for what the generated table of operations does not have.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Operation, operations } from '@petstore/types';

/** An object of the spec. */
type SpecNode = Readonly<Record<string, unknown>>;

const require = createRequire(import.meta.url);

export function readSpec(): string {
  return readFileSync(require.resolve('@petstore/spec/openapi.yaml'), 'utf8');
}

/** Parses the spec. Only this loads the parser, which the commands for keys and data do not need. */
export function parseSpec(): SpecNode {
  const { parse }: typeof import('yaml') = require('yaml');
  return parse(readSpec(), { maxAliasCount: 1000, merge: true });
}

/** Parses the spec, and states of each body whether it is required, even if that is the default. */
export function parseExplicitSpec(): SpecNode {
  const spec = parseSpec();
  for (const { path, method, body } of Object.values<Operation>(operations)) {
    if (!body) continue;
    const declared = nodeAt(spec, ['paths', path, method.toLowerCase(), 'requestBody']);
    Object.assign(declared, { required: body.required });
  }
  return spec;
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
