import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Adapter } from 'lowdb';
import { readWhole, replaceFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';
import type { StoredRecord } from './commit-line.ts';
import { decodeHint, encodeHint, type VisitRecord } from './hint.ts';
import { segmentFile } from './segment-names.ts';

/** What is common to the records of one collection in a sealed segment. */
interface PartHeader {
  collection: string;
  /** The properties that the tags are made of. */
  indexes: readonly string[];
  /** The distinct combinations of indexed values, each as JSON. */
  tags: string[];
}

/** The records of one collection that are to be sealed, ascending by identifier. */
export interface Part extends PartHeader {
  records: StoredRecord[];
  /** For each record the place of its tag in `tags`. */
  tagOf: number[];
}

/** The records of one collection that were sealed. */
export interface SealedPart extends PartHeader {
  visit(record: VisitRecord): void;
}

export interface SealedSegment {
  /** This segment holds no record that a tombstone older than this sequence number hides. */
  floor: number;
  parts: SealedPart[];
  /** The whole file. */
  bytes: Buffer;
}

/** The bytes that a record takes in a sealed segment, about: its text, and its part of the hint. */
export const costOf = (length: number) => length + 10;

interface Header {
  /** Its own number: a copy under another name is not that segment. */
  segment: number;
  floor: number;
  parts: (PartHeader & { count: number; documents: number; hint: string })[];
}

const FOOTER = '\n]}\n';
const BETWEEN = Buffer.from(',\n');
/** The bytes between two documents. */
export const GAP = BETWEEN.length;

/** lowdb's adapter for a sealed segment: written once and whole, and never changed. */
export function sealedSegmentFile(folder: string, number: number): Adapter<SealedSegment> {
  const file = join(folder, segmentFile(number, true));
  return {
    read: async () => {
      const segment = parse(await readWhole(file), number);
      if (typeof segment === 'string') throw new StoreDamagedError(file, segment);
      return segment;
    },
    write: ({ bytes }) => replaceFile(file, bytes),
  };
}

/** A sealed segment with these records, whose documents are `texts`, in order; the first one is at `start`. */
export function encodeSegment(
  { number, floor }: { number: number; floor: number },
  parts: readonly Part[],
  texts: readonly Uint8Array[],
): { bytes: Buffer; start: number } {
  const header: Header = {
    segment: number,
    floor,
    parts: parts.map(({ records, tagOf, ...part }) => ({
      ...part,
      count: records.length,
      documents: records.reduce((sum, { length }) => sum + (length > 0 ? length + GAP : 0), 0),
      hint: encodeHint(records, tagOf).toString('base64'),
    })),
  };
  const head = Buffer.from(`${JSON.stringify(header).slice(1, -1)},"documents":[\n`);
  const documents = texts.flatMap((text, i) => (i === 0 ? [text] : [BETWEEN, text]));
  const body = Buffer.concat([head, ...documents, Buffer.from(FOOTER)]);
  const checksum = Buffer.from(`{"crc32":${crc32(body)},`);
  return { bytes: Buffer.concat([checksum, body]), start: checksum.length + head.length };
}

/** The segment in these bytes, or what is wrong with them. */
function parse(bytes: Buffer, number: number): SealedSegment | string {
  if (bytes.length === 0) return 'the file is empty';
  const [head, checksum] = /^\{"crc32":(0|[1-9]\d{0,9}),/.exec(bytes.toString('latin1', 0, 24)) ?? [];
  if (head === undefined) return 'this is not a sealed segment';
  if (bytes.toString('latin1', bytes.length - FOOTER.length) !== FOOTER) return 'the end of the file is missing';
  if (crc32(bytes.subarray(head.length)) !== Number(checksum)) return 'the checksum does not fit the contents';
  const end = bytes.indexOf('\n');
  const { segment, floor, parts }: Header = JSON.parse(`${bytes.toString('utf8', 0, end)}]}`);
  if (segment !== number) return `it is segment ${segment}, not ${number}`;
  let next = end + 1;
  const found = parts.map(({ count, documents, hint, ...part }): SealedPart => {
    const place = { count, start: next, gap: GAP };
    next += documents;
    return { ...part, visit: (record) => decodeHint(Buffer.from(hint, 'base64'), place, record) };
  });
  return { floor, parts: found, bytes };
}
