import type { ServiceErrorCode } from '@petstore/types';
import type { Answer } from './connection.ts';
import { classOf, PetstoreError } from './errors.ts';
import { isExact } from './place.ts';

/** Makes of a success what the caller gets. `text` reads the body. */
export type Read = (response: Answer, text: () => Promise<string>) => unknown;

/** JSON. Never gives a number that was rounded. */
export const readJson = async (
  response: Answer,
  read: () => Promise<string>,
  revive?: typeof exactInteger,
): Promise<unknown> => {
  const { status, headers } = response;
  if (status === 204) return undefined;
  const text = await read();
  // Only numbers this long can have been rounded.
  const isLong = /\d{16}/.test(text);
  const data = parsed(text, isLong ? revive : undefined);
  const type = headers.get('content-type');
  const fault = !/[/+]json\b/i.test(`${type}`)
    ? `content type '${type}' instead of JSON`
    : data === undefined
      ? 'broken JSON'
      : isLong && !isExact(data) && 'a number that cannot be carried exactly';
  if (fault) throw new PetstoreError(response, `${status} with ${fault}${quoted(text)}`);
  return data;
};

/** JSON in which integers that a number does not hold are bigints. */
export const readExactJson: Read = (response, read) => readJson(response, read, exactInteger);

/** The integer as it is written. A runtime that does not say how leaves it rounded, and it is refused. */
function exactInteger(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !isExact(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** The body as text. */
export const readText: Read = (_, read) => read();

/** Nothing, whatever the body is. */
export const readNothing: Read = async (_, read) => {
  await read();
};

/** The body as it comes. */
export const readBytes: Read = async ({ body }, read) => body ?? new Blob([await read()]).stream();

/** With several successes the status stands beside the data. */
export const byStatus =
  (readers: Readonly<Record<string, Read>>): Read =>
  async (response, text) => {
    const { status } = response;
    const read = readers[status] ?? readers[`${Math.floor(status / 100)}XX`] ?? readText;
    return { status, data: await read(response, text) };
  };

/** The error for an answer that is no success. A body that is no Error, a proxy's page say, is quoted. */
export function refusal(response: Answer, text: string): PetstoreError {
  const { code, message } = Object(parsed(text)) as { code?: unknown; message?: unknown };
  const Class = classOf(response.status);
  return typeof code === 'string' && typeof message === 'string'
    ? new Class(response, message, code as ServiceErrorCode)
    : new Class(response, response.status + quoted(text));
}

/** What a text says as JSON, which can say anything but `undefined`. */
function parsed(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

function quoted(text: string): string {
  return text ? `: ${text.slice(0, 200)}` : ' without a body';
}
