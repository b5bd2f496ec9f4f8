import type { Exchange, NextPage, Start } from './call.ts';
import type { Answer } from './connection.ts';
import { ConnectionError } from './errors.ts';

/** The elements of a page and of all behind it, one after the other. */
export type ElementsOf = (first: Promise<Exchange<unknown>>, start: Start<unknown>) => AsyncIterable<unknown>;

/** The target of `Link` with `rel="next"` (RFC 8288), as it was written: the address of the next page. */
export function nextPage({ headers }: Answer): string | undefined {
  for (const link of (headers.get('link') ?? '').split('<')) {
    const [target, ...parameters] = link.split('>');
    if (/;\s*rel\s*=\s*("([^"]*\s)?next[\s"]|next(?![^\s,;]))/i.test(parameters.join())) return target;
  }
  return undefined;
}

/** Pages that a `Link` header leads through. */
export const linkPages: ElementsOf = (first, start) => elements(first, start, linked);

type Body = Readonly<Record<string, unknown>>;

/** Pages that a `Link` header leads through, their elements in a property of the body. */
export const linkPagesOf =
  (items: string): ElementsOf =>
  (first, start) =>
    elements(first, start, linked, elementsIn(items));

interface Rule {
  readonly cursor: string;
  readonly key?: string;
  readonly next?: string;
  readonly more?: string;
  readonly items?: string;
}

/** Pages whose body holds the cursor of the next one. */
export const bodyPages =
  ({ cursor, next = '', more, items = '' }: Rule): ElementsOf =>
  (first, start) => {
    const behind = (_: Answer, data: unknown) => {
      const value = (data as Body)[next] ?? '';
      return value === '' || (more && !(data as Body)[more]) ? undefined : { input: { [cursor]: value } };
    };
    return elements(first, start, behind, elementsIn(items));
  };

/** Pages that go on behind the last element. Without a property that says whether there are more, an empty one is the last. */
export const lastPages =
  ({ cursor, key = '', more, items }: Rule): ElementsOf =>
  (first, start) => {
    const listed = items === undefined ? (data: unknown) => data as unknown[] : elementsIn(items);
    const behind = (_: Answer, data: unknown) => {
      const last = listed(data).at(-1) as Body | undefined;
      return last === undefined || (more && !(data as Body)[more]) ? undefined : { input: { [cursor]: last[key] } };
    };
    return elements(first, start, behind, listed);
  };

const elementsIn = (name: string) => (data: unknown) => ((data as Body)[name] ?? []) as unknown[];

/**
 * The elements of this page and of all behind it. Asks for at most one page ahead; stops asking when it is left.
 */
async function* elements(
  first: Promise<Exchange<unknown>>,
  start: Start<unknown>,
  next: (response: Answer, data: unknown) => NextPage | undefined,
  items = (data: unknown) => data as unknown[],
) {
  const stop = new AbortController();
  let page: Promise<Exchange<unknown>> | undefined = first;
  try {
    while (page) {
      const { data, response }: Exchange<unknown> = await page;
      const behind = next(response, data);
      page = behind && start(behind, stop.signal);
      // It is awaited once this page is used up, and not at all if the caller leaves before.
      page?.catch(() => {});
      yield* items(data);
    }
  } finally {
    stop.abort();
  }
}

/** The credentials go only where the caller sent them. */
function linked(response: Answer): NextPage | undefined {
  const link = nextPage(response);
  return link
    ? {
        url: (from) => {
          const { origin, href } = new URL(link, from);
          if (origin === new URL(from).origin) return href;
          throw new ConnectionError(`the next page is at ${origin}, another host`);
        },
      }
    : undefined;
}
