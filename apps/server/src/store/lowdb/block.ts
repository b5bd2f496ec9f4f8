import { crc32 } from 'node:zlib';
import { type Adapter, Low } from 'lowdb';
import { readIfExists, replaceFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';

/** The format of a segment. A sealed segment is a file of lowdb, one JSON text. In an unsealed segment, each commit is a line. */
export type Form = 'json' | 'jsonl';

/** The collection of a record and its indexed values as JSON, which many records share. Tombstones have no values. */
export type Kind = readonly [collection: string, values: string];

/** A record of a segment: a document, or the tombstone of a removed document, which has length 0. */
export interface StoredRecord {
  /** An index into a list of kinds. */
  readonly kind: number;
  readonly id: number;
  /** The sequence number of the change. */
  readonly version: number;
  /** The byte offset of the document's text, and its length. */
  readonly start: number;
  readonly length: number;
}

/** A record for a block that is being written. */
export interface NewRecord extends StoredRecord {
  /** The offset of its text from the first document, which `layOut` sets. */
  start: number;
  /** The document as text. Empty for a tombstone. */
  readonly text: string;
}

/** The metadata of a block. It fills the key directory without parsing documents. */
interface Head {
  /** The number of the segment, which detects a block in the wrong file. */
  segment: number;
  kinds: Kind[];
  /** Four numbers per record: identifier and version as differences to the previous record, length and kind. */
  hint: number[];
}

/**
 * The first bytes of a block, which is JSON that begins with the checksum of its rest. Documents cannot contain this text, because
 * JSON.stringify writes no space there, so it marks the beginning of a block.
 */
const BLOCK_START = '{ "crc32":';
const prefixOf = (rest: Uint8Array) => `${BLOCK_START}${String(crc32(rest)).padStart(10)},`;
const PREFIX_BYTES = prefixOf(new Uint8Array()).length;
const HINT = ',"hint":[';
const DOCUMENTS = ',"documents":[';
/** The end of a block, which occurs nowhere else in it. */
const END = ']}\n';
/** The text between two documents of a block. */
export const SEPARATOR = { json: ',\n', jsonl: ',' } as const;

/** Lays out a new block, and sets the offset of each record. The kinds of the records are indexes into the list of all kinds. */
export function layOut(segment: number, form: Form, records: readonly NewRecord[], kinds: readonly Kind[]) {
  const head: Head = { segment, kinds: [], hint: [] };
  const indexes = new Map<number, number>();
  const texts: string[] = [];
  let [lastId, lastVersion, end] = [0, 0, 0];
  for (const record of records) {
    const { id, version, length, kind } = record;
    let index = indexes.get(kind);
    if (index === undefined) {
      index = head.kinds.push(kinds[kind] as Kind) - 1;
      indexes.set(kind, index);
    }
    head.hint.push(id - lastId, version - lastVersion, length, index);
    [lastId, lastVersion] = [id, version];
    if (length === 0) continue;
    record.start = end === 0 ? 0 : end + SEPARATOR[form].length;
    end = record.start + length;
    texts.push(record.text);
  }
  const opening = openingOf(head);
  return { opening, documents: texts.join(SEPARATOR[form]), size: opening.length + end + END.length };
}

/** A block that is being written. `size` is in bytes. */
export type NewBlock = ReturnType<typeof layOut>;

const openingOf = (head: object) =>
  Buffer.from(`${' '.repeat(PREFIX_BYTES)}${JSON.stringify(head).slice(1, -1)}${DOCUMENTS}`);

/** Writes a block into bytes of its size, and returns them. */
export function writeBlock(
  bytes: Buffer,
  { opening, documents }: Omit<NewBlock, 'size'>,
  encoding: 'utf8' | 'latin1',
): Buffer {
  opening.copy(bytes);
  bytes.write(documents, opening.length, encoding);
  bytes.write(END, bytes.length - END.length, 'latin1');
  bytes.write(prefixOf(bytes.subarray(PREFIX_BYTES)), 'latin1');
  return bytes;
}

/** A block without documents. */
export function encodeBlock(head: object): Buffer {
  const opening = openingOf(head);
  return writeBlock(Buffer.alloc(opening.length + END.length), { opening, documents: '' }, 'latin1');
}

/**
 * Decodes the head of the block at an offset; undefined if the checksum differs. The head ends before `headEnd`, which cannot
 * occur in a string because it has unescaped quotes.
 */
export function decodeBlock<T>(bytes: Buffer, from = 0, headEnd = DOCUMENTS) {
  const end = bytes.indexOf(END, from) + END.length;
  const body = bytes.subarray(from + PREFIX_BYTES, end);
  if (body.length === 0 || bytes.toString('latin1', from, from + PREFIX_BYTES) !== prefixOf(body)) return undefined;
  const length = body.indexOf(headEnd);
  const head: T = JSON.parse(`{${body.toString('utf8', 0, length)}}`);
  return { head, afterHead: from + PREFIX_BYTES + length + headEnd.length, end };
}

/** The blocks of a segment, up to the first invalid one. */
export function* blocksIn(bytes: Buffer, form: Form) {
  for (let from = 0; ; ) {
    const block = decodeBlock<Omit<Head, 'hint'>>(bytes, from, HINT);
    if (!block) return;
    from = block.end;
    yield { ...block.head, records: new RecordCursor(bytes, block.afterHead, form), end: block.end };
  }
}

const [COMMA, MINUS, ZERO, CLOSING] = [...Buffer.from(',-0]')] as [number, number, number, number];

/** A cursor over the records of a block. It has the properties of the current record, because an object for each would be slow. */
export class RecordCursor implements StoredRecord {
  kind = 0;
  id = 0;
  version = 0;
  start: number;
  length = 0;
  readonly #bytes: Buffer;
  readonly #separatorBytes: number;
  #at: number;
  #isAtEnd: boolean;

  constructor(bytes: Buffer, hint: number, form: Form) {
    this.#bytes = bytes;
    this.#separatorBytes = SEPARATOR[form].length;
    this.#at = hint;
    this.start = bytes.indexOf(DOCUMENTS, hint) + DOCUMENTS.length;
    this.#isAtEnd = bytes[hint] === CLOSING;
  }

  /** Moves to the next record; false after the last one. */
  next(): boolean {
    if (this.#isAtEnd) return false;
    if (this.length > 0) this.start += this.length + this.#separatorBytes;
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
 * Whether the bytes after the last valid commit can be an unacknowledged commit that a crash left incomplete. They begin like
 * a commit, or with zeros if the disk stored only the new size of the file, and no valid commit follows.
 */
export function isTorn(
  bytes: Buffer,
  start = BLOCK_START,
  isCommit = (at: number) => decodeBlock(bytes, at) !== undefined,
): boolean {
  if (bytes.length > 0 && bytes[0] !== 0 && !start.startsWith(bytes.toString('latin1', 0, start.length))) return false;
  for (let at = bytes.indexOf(start, 1); at >= 0; at = bytes.indexOf(start, at + 1)) if (isCommit(at)) return false;
  return true;
}

/** lowdb's adapter for a file that is replaced atomically. */
const adapter = (file: string, spare?: ArrayBufferLike): Adapter<Buffer | null> => ({
  read: async () => (await readIfExists(file, spare)) ?? null,
  write: (bytes) => replaceFile(file, bytes ?? new Uint8Array()),
});

/** Replaces a file atomically. */
export async function writeFile(file: string, bytes: Buffer): Promise<void> {
  await new Low<Buffer | null>(adapter(file), bytes).write();
}

/** Reads a file, into `spare` if it fits. Rejects with a StoreDamagedError if the file is missing. */
export async function readFile(file: string, spare?: ArrayBufferLike): Promise<Buffer> {
  const low = new Low<Buffer | null>(adapter(file, spare), null);
  await low.read();
  if (!low.data) throw new StoreDamagedError(file, 'the file is missing');
  return low.data;
}
