import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import type { GroupCommit } from '../group-commit.ts';
import { type Catalog, costOf, newSegment, type Segment } from './catalog.ts';
import type { Manifest } from './manifest.ts';
import { type Entry, GAP, type Kind, readSealed, segmentFile, visitSealed, writeSealed } from './sealed-segment.ts';
import type { Copy, Write } from './write-batch.ts';

/** A segment is merged when less than this part of a full one is needed of it. */
const MIN_LIVE = 0.5;
/** The event loop is free again after so many records; so many bytes are copied in one commit. */
const SLICE = 1000;
const MAX_COPY_BYTES = 2 ** 17;

interface Parts {
  folder: string;
  catalog: Catalog;
  manifest: Manifest;
}

/** Writes what is still needed of a full segment as a sealed one, which takes its place. */
export async function seal(full: Segment, { folder, catalog, manifest }: Parts): Promise<void> {
  const { number, floor, bytes = Buffer.alloc(0), records } = full;
  const needed = [];
  for (const [i, record] of records.entries()) {
    if (i % SLICE === SLICE - 1) await turn();
    const place = catalog.directory(record.collection).get(record.id);
    const isNeeded =
      record.length > 0
        ? place?.segment === number && place.start === record.start
        : canHide(catalog, full, record.version);
    if (isNeeded) needed.push({ ...record, tag: place?.tag ?? 0 });
  }
  // Neighbours in a sealed segment are read together.
  needed.sort((a, b) => (a.collection === b.collection ? a.id - b.id : a.collection < b.collection ? -1 : 1));
  await turn();
  const places = new Map<string, number>();
  const kinds: Kind[] = [];
  const entries = needed.map(({ collection, id, version, start, length, tag }): Entry => {
    const values = length > 0 ? (catalog.directory(collection).tagTexts[tag] ?? '[]') : '[]';
    const key = `${collection} ${values}`;
    const kind = places.get(key) ?? kinds.push([collection, values]) - 1;
    places.set(key, kind);
    return { id, version, text: bytes.subarray(start, start + length), kind };
  });
  await turn();
  const collections = [...new Set(needed.map(({ collection }) => collection))];
  const indexes = collections.map((name): [string, readonly string[]] => [name, catalog.indexes(name)]);
  let start = await writeSealed(folder, { segment: number, floor, kinds, indexes }, entries);
  const sealed = newSegment(number, floor);
  for (const record of needed) {
    const { collection, id, version, length, tag } = record;
    const isSuperseded = length > 0 && catalog.directory(collection).get(id)?.version !== version;
    if (isSuperseded) sealed.size += costOf(length);
    else catalog.apply(sealed, { ...record, start }, tag);
    if (length > 0) start += length + GAP;
  }
  catalog.segments.set(number, sealed);
  manifest.retire(join(folder, segmentFile(number, 'jsonl')));
}

/** Merges sealed segments beside the writes. Nothing depends on when this happens, so an error only puts it off. */
export interface Merger {
  /** Looks for work, unless it is at work. */
  wake(): void;
  /** Begins nothing more, and leaves a segment that it is at as it is. */
  close(): Promise<void>;
}

/**
 * Merges one segment after the other: what is still needed of it is copied to the end of the store, in commits like any
 * other, and its file is removed.
 */
export function openMerger(
  { folder, catalog, manifest }: Parts,
  group: GroupCommit<Write, unknown>,
  onWarning: (line: string) => void,
): Merger {
  let running: Promise<void> | undefined;
  let isClosed = false;
  let hasFailed = false;
  return {
    wake: () => {
      running ??= run().finally(() => {
        running = undefined;
      });
    },
    close: async () => {
      isClosed = true;
      await running;
    },
  };

  async function run(): Promise<void> {
    try {
      for (let segment = pick(); segment && !isClosed; segment = pick()) await merge(segment);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onWarning(`Segments cannot be merged now (${error}); this is tried again.`);
      hasFailed = true;
    }
  }

  /** One that is mostly superseded; the oldest one, where there are many tombstones, which go when all older ones have gone. */
  function pick(): Segment | undefined {
    const sealed = [...catalog.segments.values()].filter(({ bytes }) => !bytes);
    const tombstonesOf = ({ tombstones }: Segment) => tombstones * costOf(0);
    const neededOf = (one: Segment) => one.live + (canHide(catalog, one, one.lastTombstone) ? tombstonesOf(one) : 0);
    const wasteful = sealed.find((one) => neededOf(one) < MIN_LIVE * catalog.maxSegment);
    const [oldest] = sealed;
    if (wasteful || !oldest) return wasteful;
    const excess = sealed.reduce((sum, one) => sum + tombstonesOf(one) - one.live, 0);
    const isOld = sealed.some(({ lastTombstone }) => lastTombstone >= oldest.floor);
    return isOld && excess > catalog.maxSegment ? oldest : undefined;
  }

  async function merge(segment: Segment): Promise<void> {
    const sealed = await readSealed(folder, segment.number);
    const changes: Copy[] = [];
    visitSealed(sealed, ({ collection, id, version, start, length }) => {
      const place = length > 0 ? catalog.directory(collection).get(id) : undefined;
      const isNeeded = length > 0 ? place?.segment === segment.number : canHide(catalog, segment, version);
      const text = length > 0 ? sealed.bytes.toString('utf8', start, start + length) : undefined;
      if (isNeeded) changes.push({ collection, id, version, text, tag: place?.tag ?? 0 });
    });
    for (let done = 0; done < changes.length && !isClosed; ) {
      let size = 0;
      const some: Copy[] = [];
      while (some.length < SLICE && size < MAX_COPY_BYTES && done < changes.length) {
        const change = changes[done++] as Copy;
        size += change.text?.length ?? 0;
        some.push(change);
      }
      await group.add((batch) => some.forEach(batch.copy), size);
    }
    if (isClosed) return;
    catalog.segments.delete(segment.number);
    manifest.retire(join(folder, segmentFile(segment.number, 'json')));
  }
}

/** Whether a tombstone in a segment can hide a record in another one; floors ascend. */
function canHide({ segments }: Catalog, segment: Segment, version: number): boolean {
  for (const other of segments.values()) if (other !== segment) return other.floor <= version;
  return false;
}
