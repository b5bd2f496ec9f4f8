import type { BodyKind, OperationResponse, Pagination } from '@petstore/types';
import { defined, type Node, node, text } from './node.ts';
import { plain, type Schemas } from './schemas.ts';
import { kindOf } from './serialization.ts';
import { stop } from './stops.ts';

/** Every declared response by status, and which of them are successes. */
export function responsesOf(operation: Node, place: string, schemas: Schemas) {
  const where = `${place}.responses`;
  const responses: Record<string, OperationResponse> = {};
  for (const [written, value] of Object.entries(node(operation.responses))) {
    if (written.startsWith('x-')) continue;
    const status = written.toUpperCase() === 'DEFAULT' ? 'default' : written.toUpperCase();
    if (!/^([1-5](\d\d|XX)|default)$/.test(status))
      stop(`${where}.${written}`, `'${written}' is no status`, 'write a status, 2XX or default');
    responses[status] = responseOf(schemas.target(value, `${where}.${written}`), `${where}.${written}`, schemas);
  }
  const declared = Object.keys(responses).filter((status) => /^2/.test(status));
  // An undeclared success is unknown.
  if (declared.length === 0 && !('default' in responses)) responses['2XX'] = { description: '' };
  const successes = declared.length > 0 ? declared : ['default' in responses ? 'default' : '2XX'];
  const [only, ...others] = successes;
  const success = others.length === 0 && /^\d+$/.test(String(only)) ? Number(only) : undefined;
  return { responses, successes, success };
}

/** Selects JSON among the media types, else text, else bytes. */
function responseOf(response: Node, where: string, schemas: Schemas): OperationResponse {
  const contents = Object.entries(node(response.content)).map(([written, content]) => {
    const schema = plain(node(content).schema, `${where}.content.${written}.schema`);
    const kind = written.includes('*') ? wildcardKind(schemas.typesOf(schema)) : kindOf(written, {}, schemas);
    return { written, schema, kind: kind === 'form' ? 'text' : kind === 'multipart' || !kind ? 'bytes' : kind };
  });
  const [chosen] = (['json', 'text', 'bytes'] satisfies BodyKind[]).flatMap((kind) =>
    contents.filter((one) => one.kind === kind),
  );
  const description = (text(response.description) ?? '').trim();
  if (!chosen) return { description };
  const { written, schema, kind } = chosen;
  return { description, kind, mediaType: written, ...(kind === 'json' && { schema }) };
}

/** An object, list or number can only be JSON. */
function wildcardKind(types: ReadonlySet<string>): BodyKind {
  return types.has('string') ? 'bytes' : 'json';
}

/** The rule of `x-pagination`, checked against the operation. */
export function paginationOf(operation: Node, place: string, inputs: ReadonlySet<string>): Pagination | undefined {
  const rule = operation['x-pagination'];
  if (rule === undefined) return undefined;
  const where = `${place}.x-pagination`;
  const { cursor, limit, key, next, more, items } = node(rule);
  const by = next !== undefined ? 'body' : node(rule).by === 'last' ? 'last' : 'link';
  for (const name of [cursor, limit])
    if (name !== undefined && !inputs.has(String(name)))
      stop(where, `there is no input '${name}'`, 'name a parameter of the operation');
  if (by !== 'link' && cursor === undefined)
    stop(where, 'no cursor is named', 'write cursor: and the parameter that takes it');
  if (by === 'last' && key === undefined)
    stop(where, 'no key is named', 'write key: and the property of an element that is the cursor');
  if (by === 'body' && items === undefined)
    stop(where, 'no items are named', 'write items: and the property of the body that holds the elements');
  return defined<Pagination>({
    by,
    cursor: text(cursor),
    limit: text(limit),
    key: text(key),
    next: text(next),
    more: text(more),
    items: text(items),
  });
}
