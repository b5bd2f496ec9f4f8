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
