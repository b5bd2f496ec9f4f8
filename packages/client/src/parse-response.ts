import { isExact } from './build-request.ts';
import type { HttpResponse } from './connection.ts';
import { BaseError, errorFrom } from './errors.ts';

/** Makes the data of a call from a success. Functions of their own, so that a bundle has only those it needs. */
export type Parse = (response: HttpResponse) => unknown;

/** The data of a response whose status matches, by default of 200 as JSON; any other response is thrown as an error. */
export function parseResponse(
  response: HttpResponse,
  { ok = /200/, parse = parseJson }: { readonly ok?: RegExp; readonly parse?: Parse },
): unknown {
  if (ok.test(`${response.status}`)) return parse(response);
  return readText(response).then((text) => {
    throw errorFrom(response, text, jsonFrom(text));
  });
}

/** JSON. Never returns a number that was rounded. */
export const parseJson = async (response: HttpResponse, revive?: typeof exactInteger): Promise<unknown> => {
  const text = await readText(response);
  // Only numbers this long can have been rounded.
  const isLong = /\d{16}/.test(text);
  const data = jsonFrom(text, isLong ? revive : undefined);
  const problem = data === undefined ? 'broken JSON' : isLong && !isExact(data) && 'inexact number';
  if (problem) throw errorFrom(response, text, data, problem);
  return data;
};

/** JSON in which integers that a number cannot hold are bigints. */
export const parseExactJson: Parse = (response) => parseJson(response, exactInteger);

/** The integer as it is written. A runtime that does not give its source leaves it rounded, and it is refused. */
export function exactInteger(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !isExact(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** The body as text. */
export const parseText: Parse = (response) => readText(response);

/** Nothing, whatever the body is. */
export const parseNothing: Parse = async (response) => {
  await readText(response);
};

/** The body as it arrives. */
export const parseBytes: Parse = async (response) => response.body ?? new Blob([await readText(response)]).stream();

/** With several successes the status stands beside the data. */
export const byStatus =
  (parsers: Readonly<Record<string, Parse>>): Parse =>
  async (response) => {
    const { status } = response;
    const parse = parsers[status] ?? parsers[`${Math.floor(status / 100)}XX`] ?? parseText;
    return { status, data: await parse(response) };
  };

/** The whole body, which the caller can read again from the response. */
async function readText(response: HttpResponse): Promise<string> {
  try {
    const text = await response.text();
    response.text = async () => text;
    return text;
  } catch (cause) {
    throw new BaseError('ConnectionError', 'the response could not be read', { cause });
  }
}

/** The value of a JSON text, which can be anything but `undefined`. */
function jsonFrom(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}
