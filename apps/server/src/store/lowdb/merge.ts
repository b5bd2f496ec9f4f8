import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { removeFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';
import {
  blocksIn,
  complete,
  GAP,
  type Kind,
  layOut,
  type NewRecord,
  readFile,
  withCapacity,
  writeFile,
} from './block.ts';
import { type Catalog, costOf, type Segment } from './catalog.ts';
import type { Manifest } from './manifest.ts';

const gap = Buffer.from(GAP.json);

/** The number of records between two yields to the event loop. */
const SLICE = 1000;
const RETRY_MS = { first: 100, max: 60_000 };

/** Records to rewrite, and their texts. */
interface Needed {
  readonly records: (NewRecord & { readonly from: number })[];
  texts: Buffer;
  end: number;
}

/** Seals full segments and merges sealed ones in the background, one at a time. */
export interface Merger {
  /** Seals all full segments, then merges. Reports an error once, and retries with growing delays. */
  seal(): Promise<void>;
  /** Starts no more work. */
  close(): Promise<void>;
}

/**
 * Sealing and merging are the same: writing the needed records of some segments as a new sealed segment. Then the manifest is
 * written without the replaced files, and these are removed before the next rewrite, so their number is bounded.
 */
export function openMerger(catalog: Catalog, manifest: Manifest, onWarning: (line: string) => void): Merger {
  let queue: Promise<unknown> = Promise.resolve();
  let replaced: string[] = [];
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let delay = 0;

  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  };
  const seal = () => {
    clearTimeout(retry);
    const sealed = enqueue(async () => {
      await removeReplaced();
      for (const full of catalog.inOrder().unsealed.slice(0, -1)) await rewrite([full]);
    });
    sealed.then(merge).catch((error: unknown) => {
      if (delay === 0) onWarning(`Segments cannot be sealed or merged now (${error}); retrying.`);
      delay = Math.min(Math.max(RETRY_MS.first, 2 * delay), RETRY_MS.max);
      clearTimeout(retry);
      if (!isClosed) retry = setTimeout(() => seal().catch(() => {}), delay).unref();
    });
    return sealed;
  };
  return {
    seal,
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await queue;
    },
  };

  async function merge(): Promise<void> {
    const mergeSome = async () => {
      const inputs = pick();
      if (inputs.length > 0) await rewrite(inputs);
      return inputs.length > 0;
    };
    while (!isClosed && (await enqueue(mergeSome)));
    delay = 0;
  }

  /** The segments to merge: those that fit into one; else the oldest, which needs no tombstones, if tombstones cost more than documents. */
  function pick(): Segment[] {
    const { sealed } = catalog.inOrder();
    const tombstonesOf = (one: Segment) => (one === sealed[0] ? 0 : one.tombstones * costOf(0));
    const neededOf = (one: Segment) => one.live + tombstonesOf(one);
    let capacity = catalog.maxSegment;
    const small = sealed
      .toSorted((a, b) => neededOf(a) - neededOf(b))
      .filter((one) => {
        capacity -= neededOf(one);
        return capacity >= 0;
      });
    if (small.length > 1 || (small[0] && neededOf(small[0]) === 0)) return small;
    const excess = sealed.reduce((sum, one) => sum + tombstonesOf(one) - one.live, 0);
    return excess > catalog.maxSegment ? sealed.slice(0, 1) : [];
  }

  async function rewrite(inputs: readonly Segment[]): Promise<void> {
    const needed: Needed = { records: [], texts: Buffer.alloc(0), end: 0 };
    for (const segment of inputs) await collect(segment, needed);
    // A page then reads neighbouring records in one span.
    needed.records.sort((a, b) => (a.kind === b.kind ? 0 : order(a.kind, b.kind)) || a.id - b.id);
    await yieldToEventLoop();
    if (needed.records.length > 0) await write(needed);
    for (const { number } of inputs) catalog.segments.delete(number);
    replaced = inputs.map((one) => catalog.fileOf(one));
    await removeReplaced();
  }

  /** Adds the needed records of a segment. */
  async function collect(segment: Segment, needed: Needed): Promise<void> {
    const { sealed, unsealed } = catalog.inOrder();
    const isOldest = segment === (sealed[0] ?? unsealed[0]);
    const bytes = segment.bytes ?? (await readFile(catalog.fileOf(segment)));
    let [count, read] = [0, 0];
    for (const { kinds, records, end } of blocksIn(bytes, segment.bytes ? 'jsonl' : 'json')) {
      while (records.next()) {
        if (++count % SLICE === 0) await yieldToEventLoop();
        const { id, version, start, length } = records;
        const [collection] = kinds[records.kind] as Kind;
        const location = length > 0 ? catalog.directory(collection).get(id) : undefined;
        const isNeeded = length > 0 ? location?.segment === segment.number && location.start === start : !isOldest;
        if (!isNeeded) continue;
        needed.texts = withCapacity(needed.texts, needed.end, length);
        bytes.copy(needed.texts, needed.end, start, start + length);
        const kind = location?.kind ?? catalog.kind(collection, '');
        needed.records.push({ kind, id, version, start: 0, length, from: needed.end });
        needed.end += length;
      }
      read = end;
    }
    if (read < bytes.length) throw new StoreDamagedError(catalog.fileOf(segment), `it is damaged at byte ${read}`);
  }

  /** Writes a sealed segment, then updates the key directory for its records that were not replaced meanwhile. */
  async function write({ records, texts }: Needed): Promise<void> {
    const segment = catalog.newSegment(undefined);
    const block = layOut(segment.number, 'json', records, catalog.kinds);
    const { length } = block.opening;
    const bytes = Buffer.allocUnsafeSlow(block.bytes);
    let count = 0;
    for (const { start, from, length: size } of records) {
      if (count++ % SLICE === 0) await yieldToEventLoop();
      if (size === 0) continue;
      if (start > 0) bytes.set(gap, length + start - gap.length);
      texts.copy(bytes, length + start, from, from + size);
    }
    complete(bytes, block.opening);
    await yieldToEventLoop();
    await writeFile(catalog.fileOf(segment), bytes);
    catalog.segments.set(segment.number, segment);
    for (const record of records) {
      const location = catalog.directoryOf(record.kind).get(record.id);
      if (record.length === 0 || location?.version === record.version) catalog.apply(segment, record, length);
      else segment.size += costOf(record.length);
    }
  }

  async function removeReplaced(): Promise<void> {
    if (replaced.length > 0) await manifest.save();
    for (const file of replaced.splice(0)) await removeFile(file);
  }

  function collectionOf(kind: number): string {
    return (catalog.kinds[kind] as Kind)[0];
  }

  function order(a: number, b: number): number {
    return collectionOf(a) === collectionOf(b) ? 0 : collectionOf(a) < collectionOf(b) ? -1 : 1;
  }
}
