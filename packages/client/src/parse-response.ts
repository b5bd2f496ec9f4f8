import { isExact, type Parse } from './build-request.ts';
import type { HttpResponse } from './connection.ts';
import { BaseError, errorFrom } from './errors.ts';

/** Parses a success: a response with a matching status, by default 200. Throws the error of any other response. */
export function parseResponse(
  response: HttpResponse,
  { ok = /200/, parse = parseJson }: { readonly ok?: RegExp; readonly parse?: Parse },
): unknown {
  if (ok.test(`${response.status}`)) return parse(response);
  return readText(response).then((text) => {
    throw errorFrom(response, text, jsonFrom(text));
  });
}

/** Parses JSON. Throws for a number that parsing would round. */
export const parseJson = async (response: HttpResponse, revive?: typeof exactInteger): Promise<unknown> => {
  const text = await readText(response);
  // Only numbers with this many digits can be rounded.
  const isLong = /\d{16}/.test(text);
  const data = jsonFrom(text, isLong ? revive : undefined);
  const problem = data === undefined ? 'broken JSON' : isLong && !isExact(data) && 'inexact number';
  if (problem) throw errorFrom(response, text, data, problem);
  return data;
};

/** Parses JSON with a bigint for each integer that parsing as a number would round. */
export const parseExactJson: Parse = (response) => parseJson(response, exactInteger);

/** A reviver for `JSON.parse` that returns exact integers. Older runtimes do not pass the source text, so the integer is rounded and rejected later. */
export function exactInteger(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !isExact(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Returns the body as text. */
export const parseText: Parse = (response) => readText(response);

/** Ignores the body. */
export const parseNothing: Parse = async (response) => {
  await readText(response);
};

/** Returns the body as a stream. */
export const parseBytes: Parse = async (response) => response.body ?? new Blob([await readText(response)]).stream();

/** Parses one of several successes and returns its status and its data. */
export const byStatus =
  (parsers: Readonly<Record<string, Parse>>): Parse =>
  async (response) => {
    const { status } = response;
    const parse = parsers[status] ?? parsers[`${Math.floor(status / 100)}XX`] ?? parseText;
    return { status, data: await parse(response) };
  };

type Properties = Readonly<Record<string, unknown>>;

/** How an operation has pages: the elements of a page, and how the request of the next page differs from the request of this page. */
export interface PageRule {
  items(data: unknown): readonly unknown[];
  /** The changed inputs, or the URL, which may be relative to the URL of this page; `undefined` after the last page. */
  next(data: unknown, response: HttpResponse): { readonly input: Properties } | { readonly link: string } | undefined;
}

interface RuleOptions {
  readonly cursor: string;
  readonly key?: string;
  readonly next?: string;
  readonly more?: string;
  readonly items?: string;
}

/** Pages that `Link` headers connect. */
export const linkPages: PageRule = {
  items: (data) => data as unknown[],
  next: (_, response) => {
    const link = nextPage(response);
    return link === undefined ? undefined : { link };
  },
};

/** Pages that `Link` headers connect, with their elements in a property of the body. */
export const linkPagesOf = (items: string): PageRule => ({ ...linkPages, items: elementsIn(items) });

/** Pages whose body contains the cursor of the next page. */
export const bodyPages = ({ cursor, next = '', more, items = '' }: RuleOptions): PageRule => ({
  items: elementsIn(items),
  next: (data) => {
    const value = (data as Properties)[next] ?? '';
    return value === '' || (more && !(data as Properties)[more]) ? undefined : { input: { [cursor]: value } };
  },
});

/** Pages whose last element contains the cursor of the next page. Without the option `more`, an empty page is the last page. */
export const lastPages = ({ cursor, key = '', more, items }: RuleOptions): PageRule => {
  const elements = items === undefined ? (data: unknown) => data as unknown[] : elementsIn(items);
  return {
    items: elements,
    next: (data) => {
      const last = elements(data).at(-1) as Properties | undefined;
      return last === undefined || (more && !(data as Properties)[more])
        ? undefined
        : { input: { [cursor]: last[key] } };
    },
  };
};

/** The address of the next page, as written in `Link` with `rel="next"` (RFC 8288). */
export function nextPage({ headers }: HttpResponse): string | undefined {
  for (const link of (headers.get('link') ?? '').split('<')) {
    const [target, ...parameters] = link.split('>');
    if (/;\s*rel\s*=\s*("([^"]*\s)?next[\s"]|next(?![^\s,;]))/i.test(parameters.join())) return target;
  }
  return undefined;
}

const elementsIn = (name: string) => (data: unknown) => ((data as Properties)[name] ?? []) as unknown[];

/** Reads the whole body. Afterwards `text()` of the response still returns the body. */
async function readText(response: HttpResponse): Promise<string> {
  try {
    const text = await response.text();
    response.text = async () => text;
    return text;
  } catch (cause) {
    throw new BaseError('ConnectionError', 'the response could not be read', { cause });
  }
}

/** The value of a JSON text; `undefined` if it is malformed. */
function jsonFrom(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}
