import type { Answer } from './connection.ts';
import { PetstoreError, quote, refusal } from './errors.ts';

/** The data of a success. Throws what else came as an error, and never lets a number through that was rounded. */
export function read(response: Answer, text: string): unknown {
  const { status } = response;
  if (status < 200 || status > 299) throw refusal(response, text);
  if (status === 204) return undefined;
  const unusable = (why: string) => new PetstoreError({ status, message: `${status} ${why}${quote(text)}`, response });
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/json\b/i.test(type)) throw unusable(`with content type '${type}' instead of JSON`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw unusable('with broken JSON');
  }
  // Only numbers this long can have been rounded, and a rounded one is never a safe integer.
  if (/\d{16}/.test(text) && !isExact(data)) throw unusable('with a number that cannot be carried exactly');
  return data;
}

function isExact(data: unknown): boolean {
  if (typeof data === 'number') return !Number.isInteger(data) || Number.isSafeInteger(data);
  return typeof data !== 'object' || data === null || Object.values(data).every(isExact);
}
