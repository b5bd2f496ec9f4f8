import type { BodyKind, OperationResponse, Pagination } from '@petstore/types';
import { defined, type Node, node, reject, text } from './document.ts';
import { type Schemas, supportedSchema } from './schemas.ts';
import { kindOf } from './serialization.ts';

/** Every declared response by status, the statuses of the successes, and the names of all headers. */
export function responsesOf(operation: Node, method: string, at: string, schemas: Schemas) {
  const responsesAt = `${at}.responses`;
  const responses: Record<string, OperationResponse> = {};
  const headers: string[] = [];
  for (const [key, value] of Object.entries(node(operation.responses))) {
    if (key.startsWith('x-')) continue;
    const responseAt = `${responsesAt}.${key}`;
    const status = key.toUpperCase() === 'DEFAULT' ? 'default' : key.toUpperCase();
    if (!/^([1-5](\d\d|XX)|default)$/.test(status))
      reject(responseAt, `'${key}' is not a status`, 'write a status, 2XX or default');
    const target = schemas.target(value, responseAt);
    headers.push(...Object.keys(node(target.headers)));
    const { description, ...content } = responseOf(target, responseAt, schemas);
    // These statuses and responses to HEAD have no body, whatever their headers say (RFC 9110).
    const hasBody = method !== 'head' && !/^(204|205|304)$/.test(status);
    responses[status] = { description, ...(hasBody && content) };
  }
  const declared = Object.keys(responses).filter((status) => /^2/.test(status));
  // If no success is declared, any 2xx is one, with unknown data.
  if (declared.length === 0 && !('default' in responses)) responses['2XX'] = { description: '' };
  const successes = declared.length > 0 ? declared : ['default' in responses ? 'default' : '2XX'];
  const [only, ...others] = successes;
  const success = others.length === 0 && /^\d+$/.test(String(only)) ? Number(only) : undefined;
  return { headers, responses, successes, success };
}

/** Selects JSON among the media types, else text, else bytes. Only a wildcard needs the schema to decide the kind. */
function responseOf(response: Node, at: string, schemas: Schemas): OperationResponse {
  const contents = Object.entries(node(response.content)).map(([mediaType, content]) => {
    const schema = supportedSchema(node(content).schema, `${at}.content.${mediaType}.schema`);
    const kind = mediaType.includes('*') ? wildcardKind(schemas.typesOf(schema)) : kindOf(mediaType, {}, schemas);
    return { mediaType, schema, kind: kind === 'form' ? 'text' : kind === 'multipart' || !kind ? 'bytes' : kind };
  });
  const [chosen] = (['json', 'text', 'bytes'] satisfies BodyKind[]).flatMap((kind) =>
    contents.filter((content) => content.kind === kind),
  );
  const description = (text(response.description) ?? '').trim();
  if (!chosen) return { description };
  const { mediaType, schema, kind } = chosen;
  return { description, kind, mediaType, ...(kind === 'json' && { schema }) };
}

/** An object, list or number can only be JSON. */
function wildcardKind(types: ReadonlySet<string>): BodyKind {
  return types.has('string') ? 'bytes' : 'json';
}

/** The rule of `x-pagination`, checked against the operation. */
export function paginationOf(
  operation: Node,
  at: string,
  inputs: ReadonlySet<string>,
  successes: readonly string[],
): Pagination | undefined {
  const rule = operation['x-pagination'];
  if (rule === undefined) return undefined;
  const ruleAt = `${at}.x-pagination`;
  const { by: declared = 'link', cursor, limit, key, next, more, items } = node(rule);
  if (declared !== 'link' && declared !== 'last')
    reject(ruleAt, `by is '${declared}'`, 'write by: last, or nothing for the Link header');
  if (successes.length > 1) reject(ruleAt, 'the operation has several successes', 'declare one');
  const by = next === undefined ? declared : 'body';
  for (const name of [cursor, limit])
    if (name !== undefined && !inputs.has(String(name)))
      reject(ruleAt, `'${name}' is not an input of the operation`, 'name a parameter');
  if (by !== 'link' && cursor === undefined) reject(ruleAt, 'cursor is missing', 'name the parameter that takes it');
  if (by === 'last' && key === undefined)
    reject(ruleAt, 'key is missing', 'name the property of an element that is the cursor');
  if (by === 'body' && items === undefined)
    reject(ruleAt, 'items is missing', 'name the property of the body that holds the elements');
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
