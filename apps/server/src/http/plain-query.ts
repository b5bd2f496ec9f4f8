import type { Operation } from '@petstore/types';
import type { Exchange } from './exchange.ts';
import { breaks, inQuery } from './plain-fields.ts';

/** Letters, digits, `_` and `-`: nothing that would have to be decoded. */
const plain = /^[\w/-]*(?:\?[\w&=-]*)?$/;

/** Whether an operation takes nothing in path and query but single values. */
export function isPlain({ fields }: Operation): boolean {
  return Object.values(fields).every(
    (field) => field.in === 'body' || (field.in !== 'header' && field.type !== 'array' && field.type !== 'object'),
  );
}

/** The fields of a plain query, each known and given once; nothing for any other query, and for path fields that are not plain. */
export function plainQuery(
  operation: Operation,
  target: string | undefined,
  { query, pathFields }: Exchange,
): Record<string, unknown> | undefined {
  if (!plain.test(target ?? '')) return undefined;
  for (const name in pathFields) if (breaks(operation.fields[name], pathFields[name] ?? '')) return undefined;

  const found: Record<string, unknown> = {};
  if (query === '') return found;
  for (const pair of query.split('&')) {
    const [name = '', value = '', more] = pair.split('=');
    const field = inQuery(operation, name);
    if (!field || value === '' || more !== undefined || Object.hasOwn(found, name) || breaks(field, value))
      return undefined;
    found[name] = value;
  }
  return found;
}
