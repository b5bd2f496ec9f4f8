// What the client has to know of an operation to send it, and to read its responses: the `Wire` of
// its `request.ts`.
import type { Operation } from '@petstore/types';

/** The properties that are undefined are not written. */
export function wireOf(operation: Operation): Record<string, unknown> {
  const { method, path, body, idempotencyKey, pagination, responses, successes } = operation;
  const { deprecated, sunset, successor } = operation;
  return {
    method,
    path,
    query: unlessEmpty(inputsIn('query', operation)),
    headers: unlessEmpty(inputsIn('header', operation)),
    body: body && (body.whole ? 'whole' : 'properties'),
    idempotencyKey: idempotencyKey?.header,
    pagination: pagination && pageSizeOf(pagination.limit, operation),
    deprecated: deprecated ? { sunset, successor } : undefined,
    successes: successes.join() === '200' ? undefined : successes.map(Number),
    empty: unlessEmpty(successes.filter((status) => !responses[status]?.schema).map(Number)),
  };
}

function inputsIn(place: 'query' | 'header', { fields }: Operation): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.in === place);
}

/** The input that sets the size of a page, and the largest size. */
function pageSizeOf(limit: string, { fields }: Operation): Record<string, unknown> {
  return { limit, maximum: fields[limit]?.schema.maximum };
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
