import { crc32 } from 'node:zlib';
import { type Adapter, Low } from 'lowdb';
import { readIfExists, replaceFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';

/**
 * All that the store writes is JSON that begins with the checksum of what is behind it. JSON.stringify puts no space
 * there, so this cannot occur inside of a document.
 */
export const OPENING = '{ "crc32":';
export const beginning = (rest: Uint8Array) => `${OPENING}${String(crc32(rest)).padStart(10)},`;
/** The length of that, in bytes. */
export const HEAD = beginning(new Uint8Array()).length;
/** What describes documents is before this, the documents themselves are behind it. */
export const DOCUMENTS = ',"documents":[';

/** What describes the documents in some bytes, and where the first one begins; nothing where that is not what was written. */
export function readBlock<T>(bytes: Buffer, from = 0, to = bytes.length): { meta: T; start: number } | undefined {
  const body = bytes.subarray(from + HEAD, to);
  if (body.length === 0 || bytes.toString('latin1', from, from + HEAD) !== beginning(body)) return undefined;
  const end = body.indexOf(DOCUMENTS);
  const meta: T = JSON.parse(end < 0 ? `{${body}` : `{${body.toString('utf8', 0, end)}}`);
  return { meta, start: from + HEAD + end + DOCUMENTS.length };
}

/** Reads a file that was written whole; nothing where there is none. Rejects with a StoreDamagedError. */
export async function readJson<T>(file: string): Promise<{ meta: T; start: number; bytes: Buffer } | undefined> {
  const low = new Low<Buffer | null>(adapter(file), null);
  await low.read();
  const block = low.data ? readBlock<T>(low.data) : undefined;
  if (low.data && !block) throw new StoreDamagedError(file, 'this is not what was written there');
  return block && low.data ? { ...block, bytes: low.data } : undefined;
}

/** Replaces a file as a whole; the pieces are the JSON without its first brace. */
export async function writeJson(file: string, pieces: readonly Uint8Array[]): Promise<void> {
  const bytes = Buffer.concat([Buffer.alloc(HEAD), ...pieces]);
  bytes.write(beginning(bytes.subarray(HEAD)), 'latin1');
  await new Low<Buffer | null>(adapter(file), bytes).write();
}

/** lowdb's adapter for such a file. */
const adapter = (file: string): Adapter<Buffer | null> => ({
  read: async () => (await readIfExists(file)) ?? null,
  write: (bytes) => replaceFile(file, bytes ?? new Uint8Array()),
});
