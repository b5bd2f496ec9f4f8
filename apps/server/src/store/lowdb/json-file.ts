import { crc32 } from 'node:zlib';
import { type Adapter, Low } from 'lowdb';
import { readIfExists, replaceFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';

// JSON.stringify puts no space there, so this cannot occur inside of a document.
export const OPENING = '{ "crc32":';

/** The beginning of each JSON object that the store writes: the checksum of all that is behind it. */
export const beginning = (rest: Uint8Array) => `${OPENING}${String(crc32(rest)).padStart(10)},`;

/** The length of that, in bytes. */
export const HEAD = beginning(new Uint8Array()).length;

/** The bytes of a file that was written whole, or nothing where there is none. Rejects with a StoreDamagedError. */
export async function readJson(file: string): Promise<Buffer | null> {
  const low = new Low<Buffer | null>(adapter(file), null);
  await low.read();
  return low.data;
}

/** Replaces a file as a whole; the pieces are the JSON without its first brace. Returns how many bytes stand before them. */
export async function writeJson(file: string, pieces: readonly Uint8Array[]): Promise<number> {
  const bytes = Buffer.concat([Buffer.alloc(HEAD), ...pieces]);
  bytes.write(beginning(bytes.subarray(HEAD)), 'latin1');
  await new Low<Buffer | null>(adapter(file), bytes).write();
  return HEAD;
}

/** lowdb's adapter for such a file. */
function adapter(file: string): Adapter<Buffer | null> {
  return {
    read: async () => {
      const bytes = (await readIfExists(file)) ?? null;
      const isWhole = bytes?.toString('latin1', 0, HEAD) === beginning(bytes?.subarray(HEAD) ?? new Uint8Array());
      if (bytes && !(isWhole && bytes.length > HEAD))
        throw new StoreDamagedError(file, 'this is not what was written there');
      return bytes;
    },
    write: (bytes) => replaceFile(file, bytes ?? new Uint8Array()),
  };
}
