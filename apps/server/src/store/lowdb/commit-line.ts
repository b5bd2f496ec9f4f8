import { crc32 } from 'node:zlib';

/** One change to a document. */
export interface Record {
  readonly collection: string;
  readonly id: number;
  /** The document's text; without one it is removed: a tombstone. */
  readonly text?: string | undefined;
}

/** A record as it stands in a segment. */
export interface StoredRecord {
  readonly collection: string;
  readonly id: number;
  /** The sequence number of the change. */
  readonly version: number;
  /** Where the document's text is, in bytes; a tombstone has the length 0. */
  readonly start: number;
  readonly length: number;
}

// JSON.stringify puts no space there, so this cannot occur inside of a document.
const opening = Buffer.from('{ "crc32":');
const NEWLINE = 0x0a;

/**
 * The line of the active segment for one commit, which is stored whole or not at all. Members that a later format adds
 * stand beside `records`.
 */
export function commitLine(sequence: number, records: readonly Record[]): { line: Buffer; stored: StoredRecord[] } {
  const stored: StoredRecord[] = [];
  let text = `"sequence":${sequence},"records":[`;
  let at = Buffer.byteLength(text);
  for (const { collection, id, text: document } of records) {
    const length = document === undefined ? 0 : Buffer.byteLength(document);
    const head =
      document === undefined
        ? `{"remove":"${collection}","id":${id}`
        : `{"put":"${collection}","id":${id},"bytes":${length},"document":`;
    const before = `${stored.length > 0 ? ',' : ''}${head}`;
    stored.push({ collection, id, version: sequence + stored.length, start: at + before.length, length });
    text += `${before}${document ?? ''}}`;
    at += before.length + length + 1;
  }
  const body = Buffer.from(`${text}]}\n`);
  const head = Buffer.from(`${opening}${crc32(body.subarray(0, -1))},`);
  for (const [i, one] of stored.entries()) stored[i] = { ...one, start: one.start + head.length };
  return { line: Buffer.concat([head, body]), stored };
}

/** What the file of an active segment holds. */
export interface Commits {
  /** The sequence number of the first record. */
  first: number | undefined;
  records: StoredRecord[];
  /** Where the last good line ends. Behind it is nothing, or what a crash left of a commit that nobody was told of. */
  end: number;
}

/** Reads the file of an active segment, or says what is wrong with it. */
export function readCommits(bytes: Buffer): Commits | string {
  const records: StoredRecord[] = [];
  let first: number | undefined;
  let end = 0;
  while (end < bytes.length) {
    const stop = bytes.indexOf(NEWLINE, end);
    const line = stop < 0 ? undefined : readLine(bytes, end, stop);
    if (!line) break;
    if (typeof line === 'string') return `${line} at byte ${end}`;
    const expected = first === undefined ? line.sequence : first + records.length;
    if (line.sequence !== expected)
      return `the commit ${line.sequence} stands at byte ${end}, where ${expected} belongs`;
    first ??= line.sequence;
    for (const record of line.records) records.push(record);
    end = stop + 1;
  }
  // Commits follow one another, so only the last one can be unfinished: a good one behind a bad one means damage.
  if ((end < bytes.length && !isTorn(bytes.subarray(end))) || hasCommit(bytes, end + 1))
    return `the line at byte ${end} is not what was written there`;
  return { first, records, end };
}

function readLine(
  bytes: Buffer,
  from: number,
  to: number,
): { sequence: number; records: StoredRecord[] } | string | undefined {
  const [head, checksum, rest, sequence] =
    /^(?:\{ "crc32":(0|[1-9]\d{0,9}),)("sequence":([1-9]\d{0,15}),"records":\[)/.exec(
      bytes.toString('latin1', from, from + 80),
    ) ?? [];
  if (head === undefined || rest === undefined || bytes.toString('latin1', to - 2, to) !== ']}') return undefined;
  const body = from + head.length - rest.length;
  if (crc32(bytes.subarray(body, to)) !== Number(checksum)) return undefined;
  const records: StoredRecord[] = [];
  for (let at = from + head.length; at < to - 2; at++) {
    const version = Number(sequence) + records.length;
    const record = readRecord(bytes, at, version);
    if (!record) return 'there is a record that this version does not know';
    records.push(record);
    at = record.start + record.length + 1;
  }
  return { sequence: Number(sequence), records };
}

function readRecord(bytes: Buffer, at: number, version: number): StoredRecord | undefined {
  const text = bytes.toString('latin1', at, at + 200);
  const [put, collection = '', id, length] =
    /^\{"put":"([\w-]+)","id":(\d+),"bytes":(\d+),"document":/.exec(text) ?? [];
  if (put) return { collection, id: Number(id), version, start: at + put.length, length: Number(length) };
  const [remove, removed = '', removedId] = /^\{"remove":"([\w-]+)","id":(\d+)(?=\})/.exec(text) ?? [];
  return remove
    ? { collection: removed, id: Number(removedId), version, start: at + remove.length, length: 0 }
    : undefined;
}

/** Whether this can be the rest of a commit: it begins like one, or with zeros where the disk knew only its size. */
function isTorn(bytes: Buffer): boolean {
  return bytes[0] === 0 || bytes.subarray(0, opening.length).equals(opening.subarray(0, bytes.length));
}

/** Whether a good commit begins anywhere from here on. */
function hasCommit(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(opening, from); at >= 0; at = bytes.indexOf(opening, at + 1)) {
    const stop = bytes.indexOf(NEWLINE, at);
    if (stop >= 0 && typeof readLine(bytes, at, stop) === 'object') return true;
  }
  return false;
}
