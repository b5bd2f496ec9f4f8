import type { HttpResponse } from './connection.ts';

/** How the request of a further page differs: in an input, or in its address, which is relative to that of the page before. */
export type NextPage = { readonly input: Readonly<Record<string, unknown>> } | { readonly link: string };

/** How an operation has pages: the elements of one, and how to ask for the page behind it. */
export interface PageRule {
  items(data: unknown): readonly unknown[];
  next(data: unknown, response: HttpResponse): NextPage | undefined;
}

/** The address of the next page, as written in `Link` with `rel="next"` (RFC 8288). */
export function nextPage({ headers }: HttpResponse): string | undefined {
  for (const link of (headers.get('link') ?? '').split('<')) {
    const [target, ...parameters] = link.split('>');
    if (/;\s*rel\s*=\s*("([^"]*\s)?next[\s"]|next(?![^\s,;]))/i.test(parameters.join())) return target;
  }
  return undefined;
}

/** Pages that a `Link` header leads through. */
export const linkPages: PageRule = {
  items: (data) => data as unknown[],
  next: (_, response) => {
    const link = nextPage(response);
    return link === undefined ? undefined : { link };
  },
};

/** Pages that a `Link` header leads through, their elements in a property of the body. */
export const linkPagesOf = (items: string): PageRule => ({ ...linkPages, items: elementsIn(items) });

/** The pages that were read, as far as a loop detection needs them. */
export interface Trail {
  readonly last: string;
  readonly compared: string;
  readonly steps: number;
  readonly distance: number;
}

/**
 * The trail with one more cursor or address; `undefined` if it leads back to a page that was read before. It holds only two
 * of them (Brent's algorithm): the one that all others are compared with is replaced after 1, 2, 4, … pages, so a long loop
 * is found after at most three rounds.
 */
export function extendTrail(trail: Trail | undefined, cursor: string): Trail | undefined {
  if (!trail) return { last: cursor, compared: cursor, steps: 1, distance: 1 };
  const { last, compared, steps, distance } = trail;
  if (cursor === last || cursor === compared) return undefined;
  if (steps > 1) return { ...trail, last: cursor, steps: steps - 1 };
  return { last: cursor, compared: cursor, steps: distance * 2, distance: distance * 2 };
}

type Body = Readonly<Record<string, unknown>>;

interface Rule {
  readonly cursor: string;
  readonly key?: string;
  readonly next?: string;
  readonly more?: string;
  readonly items?: string;
}

/** Pages whose body holds the cursor of the next one. */
export const bodyPages = ({ cursor, next = '', more, items = '' }: Rule): PageRule => ({
  items: elementsIn(items),
  next: (data) => {
    const value = (data as Body)[next] ?? '';
    return value === '' || (more && !(data as Body)[more]) ? undefined : { input: { [cursor]: value } };
  },
});

/** Pages that go on behind the last element. Without a property that says whether there are more, an empty one is the last. */
export const lastPages = ({ cursor, key = '', more, items }: Rule): PageRule => {
  const listed = items === undefined ? (data: unknown) => data as unknown[] : elementsIn(items);
  return {
    items: listed,
    next: (data) => {
      const last = listed(data).at(-1) as Body | undefined;
      return last === undefined || (more && !(data as Body)[more]) ? undefined : { input: { [cursor]: last[key] } };
    },
  };
};

const elementsIn = (name: string) => (data: unknown) => ((data as Body)[name] ?? []) as unknown[];
