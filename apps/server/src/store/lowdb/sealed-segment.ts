import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Adapter } from 'lowdb';
import { StoreDamagedError } from '../errors.ts';
import { replaceFile, syncFolder } from './disk.ts';
import { Shelf } from './shelf.ts';

const footer = '\n]}\n';

/** lowdb's way to a sealed segment: written once and whole, and then never again. */
export function sealedSegment(file: string, first: number): Adapter<Shelf> {
  return {
    read: async () => {
      const shelf = shelfOf(await readFile(file), first);
      if (typeof shelf === 'string') throw new StoreDamagedError(file, shelf);
      return shelf;
    },

    write: async (shelf) => {
      const { next, bytes } = shelf;
      await replaceFile(file, [Buffer.from(header(first, next, crc32(bytes))), bytes, Buffer.from(footer)]);
      await syncFolder(dirname(file));
    },
  };
}

function header(first: number, next: number, checksum: number): string {
  return `{"first":${first},"next":${next},"crc32":${checksum},"pets":[\n`;
}

/** The shelf in these bytes, or what is wrong with them. Every byte counts: the frame is compared, the rest is summed. */
function shelfOf(bytes: Buffer, first: number): Shelf | string {
  if (bytes.length === 0) return 'the file is empty';
  const [head, next] =
    /^\{"first":\d+,"next":(\d+),"crc32":\d+,"pets":\[\n/.exec(bytes.toString('latin1', 0, 80)) ?? [];
  if (head === undefined) return 'this is not a sealed segment';
  if (bytes.toString('latin1', bytes.length - footer.length) !== footer) return 'the end of the file is missing';
  const texts = bytes.subarray(head.length, -footer.length);
  if (head !== header(first, Number(next), crc32(texts))) return 'the checksum does not fit the animals';
  const shelf = new Shelf(first, texts);
  return shelf.next === Number(next) ? shelf : `it holds ${shelf.count} animals, not those up to ${Number(next) - 1}`;
}
