import { isExact, type Parse } from './build-request.ts';
import type { HttpResponse } from './connection.ts';
import { BaseError, errorFrom } from './errors.ts';

/** Parses the response if `ok` matches its status (default: 200). Otherwise rejects with the error for the response. */
export function parseResponse(
  response: HttpResponse,
  { ok = /200/, parse = parseJson }: { readonly ok?: RegExp; readonly parse?: Parse },
): unknown {
  if (ok.test(`${response.status}`)) return parse(response);
  return readText(response).then((text) => {
    throw errorFrom(response, text, parseIfJson(text));
  });
}

/** Parses JSON. Rejects if a number is 2^53 or larger, because it may have been rounded. Decimals are rounded to doubles. */
export const parseJson = async (response: HttpResponse, revive?: Reviver): Promise<unknown> => {
  const text = await readText(response);
  // A number from 2^53 on has 16 digits in a row or an exponent. Any other text skips the slower steps.
  const mayBeInexact = /\d{16}|\de/i.test(text);
  const data = parseIfJson(text, mayBeInexact ? revive : undefined);
  const problem = data === undefined ? 'broken JSON' : mayBeInexact && !isExact(data) && 'inexact number';
  if (problem) throw errorFrom(response, text, data, problem);
  return data;
};

/** Like `parseJson`, but returns integers from 2^53 on as bigint if they are written as digits only. */
export const parseExactJson: Parse = (response) => parseJson(response, exactInteger);

/** A reviver for `JSON.parse` that returns large integers as bigint. Runtimes that pass no source text leave the rounded number, which `parseJson` rejects. */
export function exactInteger(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return /^-?\d+$/.test(source) && !isExact(value) ? BigInt(source) : value;
}

/** Returns the body as text. */
export const parseText: Parse = (response) => readText(response);

/** Reads the body, so that the connection can be used again, and returns nothing. */
export const parseNothing: Parse = async (response) => {
  await readText(response);
};

/** Returns the body as a stream. A transport may return a response that has no `body`, only `text()`. */
export const parseBytes: Parse = async (response) => response.body ?? new Blob([await readText(response)]).stream();

/** Selects the parser by the status, for example `201` or `2XX`. Returns the status and the data. */
export const byStatus =
  (parsers: Readonly<Record<string, Parse>>): Parse =>
  async (response) => {
    const { status } = response;
    const parse = parsers[status] ?? parsers[`${Math.floor(status / 100)}XX`] ?? parseText;
    return { status, data: await parse(response) };
  };

/** Reads the body, and replaces `response.text`, so that callers can still call it. */
async function readText(response: HttpResponse): Promise<string> {
  try {
    const text = await response.text();
    response.text = async () => text;
    return text;
  } catch (cause) {
    throw new BaseError('ConnectionError', 'the response could not be read', { cause });
  }
}

type Reviver = typeof exactInteger;

/** Returns the value of a JSON text; `undefined` if it is malformed. */
function parseIfJson(text: string, revive?: Reviver): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}
