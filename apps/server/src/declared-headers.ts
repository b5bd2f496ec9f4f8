// Compares the headers of responses with the spec, while responses are validated.
import type { Operation } from '@petstore/types';
import { parseSpec, type SpecNode } from './spec.ts';

/** Every response can have them: by HTTP itself, or as the spec says in prose. */
const undeclared = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'x-content-type-options',
  'x-request-id',
]);

/** Throws unless the spec declares the headers of a response, given as names and values in turn. */
export function checkHeaders(operation: Operation, status: number, head: readonly string[]): void {
  const declared = declaredFor(operation, status);
  for (let i = 0; i < head.length; i += 2) {
    const name = head[i]?.toLowerCase() ?? '';
    if (!declared.has(name) && !undeclared.has(name))
      throw new Error(
        `The response ${status} of ${operation.id} has the undeclared header ${name}.`,
      );
  }
}

const known = new Map<string, ReadonlySet<string>>();

function declaredFor(operation: Operation, status: number): ReadonlySet<string> {
  const id = `${operation.id} ${status}`;
  const names = known.get(id) ?? readDeclared(operation, status);
  known.set(id, names);
  return names;
}

function readDeclared(operation: Operation, status: number): ReadonlySet<string> {
  const spec = parseSpec();
  const method = operation.method.toLowerCase();
  const responses = nodeAt(spec, ['paths', operation.path, method, 'responses']);
  const response = nodeAt(spec, [], responses[status] ?? responses.default);
  return new Set(
    Object.keys(nodeAt(spec, ['headers'], response)).map((name) => name.toLowerCase()),
  );
}

/** The object at a path, with references followed. An empty one if there is none. */
function nodeAt(spec: SpecNode, path: readonly string[], from: unknown = spec): SpecNode {
  let node = followed(spec, from);
  for (const name of path) node = followed(spec, node[name]);
  return node;
}

function followed(spec: SpecNode, value: unknown): SpecNode {
  if (typeof value !== 'object' || value === null) return {};
  const node = value as SpecNode;
  const { $ref: reference } = node;
  if (typeof reference !== 'string') return node;
  return nodeAt(spec, reference.split('/').slice(1));
}
