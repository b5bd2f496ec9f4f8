import type { OperationId } from '@petstore/types';

/** How an operation goes on the wire. Input that is named nowhere here goes to the body, or to the query where there is none. */
export interface Wire<Id extends OperationId = OperationId> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly query?: readonly string[];
  readonly body?: true;
  /** There, with the date of its end if it has one, when the operation is deprecated. */
  readonly deprecated?: { readonly sunset?: string };
}

export interface Placed {
  /** Relative to the base address. */
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** Puts each input in its place: path, headers, query or body. Refuses what would arrive as something else. */
export function place({ id, path, headers: inHeaders = [], query: inQuery, body }: Wire, input: object): Placed {
  const rest: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    refuseInexact(id, name, value);
    if (value !== undefined) rest[name] = value;
  }
  const take = (name: string) => {
    const value = rest[name];
    delete rest[name];
    return value;
  };

  let url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = encodeURIComponent(String(take(name) ?? ''));
    // Dots alone would climb to another path, nothing at all would be another operation.
    if (/^\.{0,2}$/.test(segment)) throw new TypeError(`${id}: '${segment}' cannot be a ${name}`);
    return segment;
  });
  const headers: Record<string, string> = {};
  for (const name of inHeaders) if (name in rest) headers[name] = String(take(name));

  const query: string[] = [];
  for (const name of body ? (inQuery ?? []) : Object.keys(rest)) {
    if (!(name in rest)) continue;
    for (const value of [take(name)].flat())
      query.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  }
  if (query.length > 0) url += `?${query.join('&')}`;
  if (!body) return { url, headers };
  headers['content-type'] = 'application/json';
  return { url, headers, body: JSON.stringify(rest) };
}

function refuseInexact(id: string, name: string, value: unknown): void {
  if (typeof value !== 'number') return;
  if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
    throw new RangeError(`${id}: ${value} as ${name} cannot be carried exactly`);
  }
}
