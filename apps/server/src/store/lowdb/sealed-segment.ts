import { join } from 'node:path';
import { StoreDamagedError } from '../errors.ts';
import { DOCUMENTS, HEAD, readJson, writeJson } from './block.ts';
import type { StoredRecord } from './commit-line.ts';

/** What many records of a sealed segment have in common: their collection, and their indexed values as JSON. */
export type Kind = readonly [collection: string, values: string];

/** A record that is to be sealed; a tombstone has no text. */
export interface Entry {
  id: number;
  version: number;
  text: Uint8Array;
  /** Its place in the list of kinds. */
  kind: number;
}

/** A sealed segment, which holds no record that a tombstone with a lower sequence number than `floor` hides. */
interface Header {
  /** Its own number: a copy under another name is not that segment. */
  segment: number;
  floor: number;
  kinds: readonly Kind[];
  /** The properties that the values of a collection are of. */
  indexes: [collection: string, properties: readonly string[]][];
  /**
   * All that the key directory needs, so that opening a store parses no document. Each record is four numbers: how far its
   * identifier and its version are from the ones before, the length of its text, and its kind.
   */
  hint: number[];
}

interface Sealed extends Header {
  /** The whole file, and where its first document begins. */
  bytes: Buffer;
  start: number;
}

export const segmentFile = (number: number, form: 'json' | 'jsonl') => `${String(number).padStart(10, '0')}.${form}`;

const BETWEEN = Buffer.from(',\n');
const FOOTER = Buffer.from('\n]}\n');
/** The bytes between two documents. */
export const GAP = BETWEEN.length;

/** Writes a sealed segment, and returns where its first document begins. The others follow, each behind a gap. */
export async function writeSealed(
  folder: string,
  header: Omit<Header, 'hint'>,
  entries: readonly Entry[],
): Promise<number> {
  const hint: number[] = [];
  const pieces: Uint8Array[] = [];
  let [lastId, lastVersion] = [0, 0];
  for (const { id, version, text, kind } of entries) {
    hint.push(id - lastId, version - lastVersion, text.length, kind);
    [lastId, lastVersion] = [id, version];
    if (text.length > 0) pieces.push(pieces.length === 0 ? Buffer.alloc(0) : BETWEEN, text);
  }
  const head = Buffer.from(`${JSON.stringify({ ...header, hint } satisfies Header).slice(1, -1)}${DOCUMENTS}\n`);
  await writeJson(join(folder, segmentFile(header.segment, 'json')), [head, ...pieces, FOOTER]);
  return HEAD + head.length;
}

/** Reads a sealed segment. Rejects with a StoreDamagedError where it is not what was written. */
export async function readSealed(folder: string, number: number): Promise<Sealed> {
  const file = join(folder, segmentFile(number, 'json'));
  const found = await readJson<Header>(file);
  if (!found) throw new StoreDamagedError(file, 'the file is missing');
  const { meta, bytes, start } = found;
  if (meta.segment !== number) throw new StoreDamagedError(file, `it is segment ${meta.segment}, not ${number}`);
  return { ...meta, bytes, start: start + 1 };
}

/** Visits each record of a sealed segment. */
export function visitSealed(
  { hint, kinds, start: first }: Sealed,
  visit: (record: StoredRecord, kind: number) => void,
): void {
  let [id, version, start] = [0, 0, first];
  for (let at = 0; at < hint.length; at += 4) {
    id += hint[at] as number;
    version += hint[at + 1] as number;
    const length = hint[at + 2] as number;
    const kind = hint[at + 3] as number;
    visit({ collection: kinds[kind]?.[0] ?? '', id, version, start, length }, kind);
    if (length > 0) start += length + GAP;
  }
}
