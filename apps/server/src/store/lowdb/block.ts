import { crc32 } from 'node:zlib';
import { type Adapter, Low } from 'lowdb';
import { readIfExists, replaceFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';

/** A sealed segment is a file of lowdb, one JSON text. In other segments each commit is a line. */
export type Form = 'json' | 'jsonl';

/** What many records have in common: their collection, and their indexed values as JSON. Tombstones have none. */
export type Kind = readonly [collection: string, values: string];

/** A record as it stands in a segment. */
export interface StoredRecord {
  /** Its place in a list of kinds. */
  readonly kind: number;
  readonly id: number;
  /** The sequence number of the change that it was written for. */
  readonly version: number;
  /** Where the document's text is, in bytes; a tombstone has the length 0. */
  readonly start: number;
  readonly length: number;
}

/** A record for a block that is being written. */
export interface NewRecord extends StoredRecord {
  /** Where its text is going to be, from the beginning of the documents. */
  start: number;
}

/** What describes the documents of a block, so that the key directory is filled without parsing them. */
interface Head {
  /** The number of the segment: a block in another one does not belong there. */
  segment: number;
  kinds: Kind[];
  /** Each record is four numbers: how far its identifier and its version are from the ones before, its length and its kind. */
  hint: number[];
}

/**
 * All that the store writes is blocks: JSON that begins with the checksum of what is behind it. JSON.stringify puts no
 * space there, so this cannot occur inside of a document.
 */
export const OPENING = '{ "crc32":';
const beginning = (rest: Uint8Array) => `${OPENING}${String(crc32(rest)).padStart(10)},`;
const HEAD = beginning(new Uint8Array()).length;
const HINT = ',"hint":[';
const DOCUMENTS = ',"documents":[';
/** Nothing else in a block ends like this. */
const END = ']}\n';
/** Between two documents. */
export const GAP = { json: ',\n', jsonl: ',' } as const;

/**
 * Finds out where in a new block each of these records is, whose kinds have their places in the list of all kinds. Returns
 * all that is before the documents, and the bytes of the whole.
 */
export function layOut(segment: number, form: Form, records: readonly NewRecord[], kinds: readonly Kind[]) {
  const head: Head = { segment, kinds: [], hint: [] };
  const places = new Map<number, number>();
  let [lastId, lastVersion, end] = [0, 0, 0];
  for (const record of records) {
    const { id, version, length, kind } = record;
    let place = places.get(kind);
    if (place === undefined) {
      place = head.kinds.push(kinds[kind] as Kind) - 1;
      places.set(kind, place);
    }
    head.hint.push(id - lastId, version - lastVersion, length, place);
    [lastId, lastVersion] = [id, version];
    if (length === 0) continue;
    record.start = end === 0 ? 0 : end + GAP[form].length;
    end = record.start + length;
  }
  const opening = openingOf(head);
  return { opening, bytes: opening.length + end + END.length };
}

const openingOf = (head: object) => Buffer.from(`${' '.repeat(HEAD)}${JSON.stringify(head).slice(1, -1)}${DOCUMENTS}`);

/** Completes a block whose documents are in their place. */
export function complete(bytes: Buffer, opening: Buffer): void {
  opening.copy(bytes);
  bytes.write(END, bytes.length - END.length, 'latin1');
  bytes.write(beginning(bytes.subarray(HEAD)), 'latin1');
}

/** A block without documents. */
export function encodeBlock(head: object): Buffer {
  const opening = openingOf(head);
  const bytes = Buffer.alloc(opening.length + END.length);
  complete(bytes, opening);
  return bytes;
}

/**
 * The block at a byte; nothing where that is not what was written. Its head ends with this text: nothing inside of a string
 * is like it, because quotes are escaped there.
 */
export function decodeBlock<T>(bytes: Buffer, from = 0, headEnd = DOCUMENTS) {
  const end = bytes.indexOf(END, from) + END.length;
  const body = bytes.subarray(from + HEAD, end);
  if (body.length === 0 || bytes.toString('latin1', from, from + HEAD) !== beginning(body)) return undefined;
  const length = body.indexOf(headEnd);
  const head: T = JSON.parse(`{${body.toString('utf8', 0, length)}}`);
  return { head, behindHead: from + HEAD + length + headEnd.length, end };
}

/** The blocks from the beginning of a segment to the first byte where there is no good one. */
export function* blocksIn(bytes: Buffer, form: Form) {
  for (let from = 0; ; ) {
    const block = decodeBlock<Omit<Head, 'hint'>>(bytes, from, HINT);
    if (!block) return;
    from = block.end;
    yield { ...block.head, records: new RecordCursor(bytes, block.behindHead, form), end: block.end };
  }
}

const [COMMA, MINUS, ZERO, CLOSING] = [...Buffer.from(',-0]')] as [number, number, number, number];

/** Steps through the records of a block, and has the properties of the one that it is at: there are too many to make an object of each. */
export class RecordCursor implements StoredRecord {
  kind = 0;
  id = 0;
  version = 0;
  start: number;
  length = 0;
  readonly #bytes: Buffer;
  readonly #gap: number;
  #at: number;
  #isAtEnd: boolean;

  constructor(bytes: Buffer, hint: number, form: Form) {
    this.#bytes = bytes;
    this.#gap = GAP[form].length;
    this.#at = hint;
    this.start = bytes.indexOf(DOCUMENTS, hint) + DOCUMENTS.length;
    this.#isAtEnd = bytes[hint] === CLOSING;
  }

  /** Steps to the next record, if there is one. */
  next(): boolean {
    if (this.#isAtEnd) return false;
    if (this.length > 0) this.start += this.length + this.#gap;
    this.id += this.#number();
    this.version += this.#number();
    this.length = this.#number();
    this.kind = this.#number();
    return true;
  }

  #number(): number {
    const isNegative = this.#bytes[this.#at] === MINUS;
    if (isNegative) this.#at++;
    let value = 0;
    for (;;) {
      const byte = this.#bytes[this.#at++] ?? 0;
      const digit = byte - ZERO;
      if (digit < 0 || digit > 9) {
        this.#isAtEnd = byte !== COMMA;
        return isNegative ? -value : value;
      }
      value = 10 * value + digit;
    }
  }
}

/**
 * Whether these bytes behind the last commit are what a crash may leave of one that nobody was told of. It begins like a
 * commit, or with zeros where the disk knew only its size. Only the last one can be unfinished, so none follows.
 */
export function isTorn(bytes: Buffer): boolean {
  if (bytes.length > 0 && bytes[0] !== 0 && !OPENING.startsWith(bytes.toString('latin1', 0, OPENING.length)))
    return false;
  for (let at = bytes.indexOf(OPENING, 1); at >= 0; at = bytes.indexOf(OPENING, at + 1))
    if (decodeBlock(bytes, at)) return false;
  return true;
}

/** lowdb's adapter for a file that is replaced as a whole. */
const adapter = (file: string, spare?: ArrayBufferLike): Adapter<Buffer | null> => ({
  read: async () => (await readIfExists(file, spare)) ?? null,
  write: (bytes) => replaceFile(file, bytes ?? new Uint8Array()),
});

/** Replaces a file as a whole. */
export async function writeFile(file: string, bytes: Buffer): Promise<void> {
  await new Low<Buffer | null>(adapter(file), bytes).write();
}

/** The bytes of a file, in `spare` where they fit in there. Rejects with a StoreDamagedError where it is missing. */
export async function readFile(file: string, spare?: ArrayBufferLike): Promise<Buffer> {
  const low = new Low<Buffer | null>(adapter(file, spare), null);
  await low.read();
  if (!low.data) throw new StoreDamagedError(file, 'the file is missing');
  return low.data;
}

/** The same buffer, or a larger one that begins with its used bytes, in which there is room for more. */
export function withRoom(buffer: Buffer, used: number, more: number): Buffer {
  if (used + more <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.max(used + more, 2 * buffer.length, 4096));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
