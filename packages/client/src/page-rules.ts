import type { HttpResponse } from './connection.ts';
import { ConnectionError } from './errors.ts';
import type { NextPage, PageRule } from './pages.ts';

/** The target of `Link` with `rel="next"` (RFC 8288), as it was written: the address of the next page. */
export function nextPage({ headers }: HttpResponse): string | undefined {
  for (const link of (headers.get('link') ?? '').split('<')) {
    const [target, ...parameters] = link.split('>');
    if (/;\s*rel\s*=\s*("([^"]*\s)?next[\s"]|next(?![^\s,;]))/i.test(parameters.join())) return target;
  }
  return undefined;
}

/** Pages that a `Link` header leads through. */
export const linkPages: PageRule = { items: (data) => data as unknown[], next: (_, response) => linked(response) };

/** Pages that a `Link` header leads through, their elements in a property of the body. */
export const linkPagesOf = (items: string): PageRule => ({ ...linkPages, items: elementsIn(items) });

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

/** The credentials go only where the caller sent them. */
function linked(response: HttpResponse): NextPage | undefined {
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
