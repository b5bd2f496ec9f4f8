import { stringify } from 'node:querystring';
import type { Operation } from '../old.ts';
import type { Input } from './input.ts';
import type { RequestContext } from './request-context.ts';
import type { Headers } from './response.ts';
import { decodeQuery } from './styles.ts';

/** What follows a page of a list. */
export interface PageInfo {
  /** Whether more elements may follow. */
  more: boolean;
  /** The key of the last element. */
  last: unknown;
}

/**
 * The `Link` to the next page: the same query, with the cursor at the last element. Empty if this is the last page. The link
 * is relative, so it also works behind a proxy that adds a prefix to the path.
 */
export function nextLink(
  { target }: Pick<RequestContext, 'target'>,
  operation: Operation,
  input: Input,
  { more, last }: PageInfo,
): Headers {
  const { pagination, fields } = operation;
  const { by, cursor } = pagination ?? {};
  if (by !== 'link' || cursor === undefined || !more) return [];
  const query: Record<string, string> = {};
  let isPlain = true;
  for (const name in input) {
    if (fields[name]?.in !== 'query') continue;
    if (typeof input[name] === 'object' || fields[name].contentType !== undefined) isPlain = false;
    else query[name] = String(input[name]);
  }
  query[cursor] = String(last);
  const others = isPlain ? [] : otherPairs(target.query, Object.keys(query));
  return ['Link', `<?${[stringify(query), ...others].join('&')}>; rel="next"`];
}

/** The pairs of a query that have none of these names. Lists, objects and JSON keep their styles this way. */
function otherPairs(query: string, names: readonly string[]): string[] {
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '' && !names.includes(decodeQuery(pair.split('=', 1)[0] ?? '')));
  // A plain `>` would end the URL in the header.
  return pairs.map((pair) => pair.replaceAll('>', '%3E'));
}
