import type { StoredRecord } from './commit-line.ts';

/**
 * The hint of a sealed segment: all that the key directory needs of its records, so that opening a store parses no
 * document. Each record is four numbers, seven bits a byte: how far its identifier is from the one before, its version
 * from the one before (zigzag), the length of its text (0 for a tombstone), and its tag.
 */
export function encodeHint(records: readonly StoredRecord[], tagOf: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(records.length * 32);
  let end = 0;
  const put = (value: number) => {
    for (; value >= 128; value = Math.floor(value / 128)) bytes[end++] = (value % 128) + 128;
    bytes[end++] = value;
  };
  let [lastId, lastVersion] = [0, 0];
  for (const [i, { id, version, length }] of records.entries()) {
    put(id - lastId);
    put(version >= lastVersion ? 2 * (version - lastVersion) : 2 * (lastVersion - version) - 1);
    put(length);
    put(tagOf[i] ?? 0);
    [lastId, lastVersion] = [id, version];
  }
  return bytes.subarray(0, end);
}

/** A function that is called with a record, in numbers: opening a store makes no object for each of its documents. */
export type VisitRecord = (id: number, version: number, start: number, length: number, tag: number) => void;

/** Visits the records of a hint; their documents stand one behind the other from `start` on, with a gap between them. */
export function decodeHint(
  bytes: Buffer,
  { count, start, gap }: { count: number; start: number; gap: number },
  visit: VisitRecord,
): void {
  let at = 0;
  const take = () => {
    let value = bytes[at++] ?? 0;
    if (value < 128) return value;
    value -= 128;
    for (let factor = 128; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      if (byte < 128) return value + byte * factor;
      value += (byte - 128) * factor;
    }
  };
  let [id, version, place] = [0, 0, start];
  for (let i = 0; i < count; i++) {
    id += take();
    const step = take();
    version += step % 2 === 0 ? step / 2 : -(step + 1) / 2;
    const length = take();
    visit(id, version, place, length, take());
    if (length > 0) place += length + gap;
  }
}
