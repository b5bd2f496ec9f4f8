import { isExact, type Parse } from './build-request.ts';
import type { HttpResponse } from './connection.ts';
import { BaseError, errorFrom } from './errors.ts';
import { responseOf } from './old.ts';

/** Parses the response if `ok` matches its status (default: 200). Otherwise rejects with the error for the response. */
export function parseResponse(
  response: HttpResponse,
  { ok = /200/, parse = parseJson }: { readonly ok?: RegExp; readonly parse?: Parse },
): unknown {
  if (ok.test(`${response.status}`)) return parse(response);
  return parseText(response).then((text) => {
    throw errorFrom(response, text);
  });
}

/**
 * Parses JSON. Rejects if a number of 2^53 or more is written without an exponent, because the service means every digit of it, and
 * a double may round them.
 */
export const parseJson = async (response: HttpResponse, allowsBigint?: boolean): Promise<unknown> => {
  const text = await parseText(response);
  let problem = 'invalid JSON';
  // A runtime that passes no source text rounds, so there every number of 2^53 or more is rejected here.
  const revive = (_key: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (typeof value !== 'number' || isExact(value) || /e/i.test(source)) return value;
    if (allowsBigint && /^-?\d+$/.test(source)) return BigInt(source);
    problem = 'inexact number';
    // Ends the parsing.
    throw problem;
  };
  try {
    // Such a number has 16 digits in a row. Any other text skips the slower step.
    return JSON.parse(text, /\d{16}/.test(text) ? revive : undefined);
  } catch {
    throw errorFrom(response, text, problem);
  }
};

/** Like `parseJson`, but returns integers from 2^53 on as bigint if they are written as digits only. */
export const parseExactJson: Parse = (response) => parseJson(response, true);

/** Reads the body, so that the connection can be used again, and returns nothing. */
export const parseNothing: Parse = async (response) => {
  await parseText(response);
};

/** Selects the parser by the status, for example `201` or `2XX`. Returns the status and the data. */
export const byStatus =
  (parsers: Readonly<Record<string, Parse>>): Parse =>
  async (response) => {
    const { status } = response;
    const parse = responseOf({ responses: parsers }, status) ?? parseText;
    return { status, data: await parse(response) };
  };

/** Returns the body as text, and replaces `response.text`, so that callers can still call it. */
export async function parseText(response: HttpResponse): Promise<string> {
  try {
    const text = await response.text();
    response.text = async () => text;
    return text;
  } catch (cause) {
    throw new BaseError('ConnectionError', 'the response could not be read', { cause });
  }
}
