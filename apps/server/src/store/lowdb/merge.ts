import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { removeFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';
import { blocksIn, type Kind, layOut, type NewRecord, readFile, writeBlock, writeFile } from './block.ts';
import { type Catalog, costOf, RECORDS_PER_YIELD, type Segment } from './catalog.ts';
import type { Manifest } from './manifest.ts';

const RETRY_MS = { first: 100, max: 60_000 };

/** The cost of a tombstone: a record of length 0, which says that a document was removed. */
const TOMBSTONE_COST = costOf(0);

/**
 * Seals full segments, and merges sealed segments in the background. Only one rewrite runs at a time.
 *
 * Sealing rewrites one unsealed segment. Merging rewrites several sealed segments. Both write the needed records as a new sealed
 * segment, then the manifest without the replaced files, and remove these files.
 */
export function openMerger(catalog: Catalog, manifest: Manifest, onWarning: (line: string) => void) {
  let queue: Promise<unknown> = Promise.resolve();
  /** The files to remove. */
  const replaced = new Set<string>();
  /** The files whose removal has failed before. */
  const unremovable = new Set<string>();
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = 0;

  return {
    /**
     * Seals all full segments, then starts to merge. The promise resolves after the sealing, and rejects if that fails. If sealing
     * or merging fails, both are retried with growing delays, and the first error of such a series is reported.
     */
    seal,
    /** Cancels retries and further merges, and waits for the current and the queued rewrites. */
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await queue;
    },
  };

  function seal(): Promise<void> {
    clearTimeout(retry);
    const sealing = enqueue(sealFullSegments);
    sealing.then(merge).catch((error: unknown) => {
      if (retryMs === 0) onWarning(`Segments cannot be sealed or merged now (${error}); retrying.`);
      retryMs = Math.min(Math.max(RETRY_MS.first, 2 * retryMs), RETRY_MS.max);
      clearTimeout(retry);
      if (!isClosed) retry = setTimeout(() => seal().catch(() => {}), retryMs).unref();
    });
    return sealing;
  }

  /** Merges segments until none are left to merge. */
  async function merge(): Promise<void> {
    while (!isClosed && (await enqueue(mergeOnce)));
    retryMs = 0;
  }

  /** Runs work after all earlier work has ended. */
  function enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work);
    queue = result.catch(() => {});
    return result;
  }

  async function sealFullSegments(): Promise<void> {
    // An earlier rewrite may have failed to remove files.
    await saveManifestAndRemoveReplaced();
    for (const full of catalog.inOrder().unsealed.slice(0, -1)) await rewrite([full]);
  }

  /** Merges the next segments. Returns false if there are none. */
  async function mergeOnce(): Promise<boolean> {
    const inputs = segmentsToMerge();
    if (inputs.length > 0) await rewrite(inputs);
    return inputs.length > 0;
  }

  /**
   * The sealed segments to merge next:
   * - the smallest segments whose needed records fit into one segment together, if there are at least two;
   * - else a segment without needed records, so its file can be removed;
   * - else the oldest segment, if the tombstones of the others cost more than all documents plus a full segment. Its documents move to
   *   the end, so the next segment becomes the oldest, and can drop its tombstones: no earlier segment has the documents that they
   *   remove.
   */
  function segmentsToMerge(): Segment[] {
    const { sealed } = catalog.inOrder();
    const tombstoneCostOf = (segment: Segment) => (segment === sealed[0] ? 0 : segment.tombstones * TOMBSTONE_COST);
    const neededCostOf = (segment: Segment) => segment.liveCost + tombstoneCostOf(segment);
    let capacity = catalog.maxSegment;
    const fitting = sealed
      .toSorted((a, b) => neededCostOf(a) - neededCostOf(b))
      .filter((segment) => {
        capacity -= neededCostOf(segment);
        return capacity >= 0;
      });
    if (fitting.length > 1 || (fitting[0] && neededCostOf(fitting[0]) === 0)) return fitting;
    const excess = sealed.reduce((sum, segment) => sum + tombstoneCostOf(segment) - segment.liveCost, 0);
    return excess > catalog.maxSegment ? sealed.slice(0, 1) : [];
  }

  async function rewrite(inputs: readonly Segment[]): Promise<void> {
    const needed: NewRecord[] = [];
    for (const segment of inputs) await collect(segment, needed);
    // Documents are sorted by identifier, so a page reads neighbouring documents in one span.
    const byCollection = Map.groupBy(needed, ({ kind }) => (catalog.kinds[kind] as Kind)[0]);
    const sorted = [...byCollection.values()].flatMap((records) => records.sort((a, b) => a.id - b.id));
    await yieldToEventLoop();
    if (sorted.length > 0) await write(sorted);
    for (const { number } of inputs) catalog.segments.delete(number);
    for (const segment of inputs) replaced.add(catalog.fileOf(segment));
    await saveManifestAndRemoveReplaced();
  }

  /** Adds the needed records of a segment: its current documents, and, unless it is the oldest segment, its tombstones. */
  async function collect(segment: Segment, needed: NewRecord[]): Promise<void> {
    const { sealed, unsealed } = catalog.inOrder();
    const isOldest = segment === (sealed[0] ?? unsealed[0]);
    // Only an unsealed segment has its bytes in memory. Its blocks are JSON lines.
    const bytes = segment.bytes ?? (await readFile(catalog.fileOf(segment)));
    let [count, validEnd] = [0, 0];
    for (const { kinds, records: cursor, end } of blocksIn(bytes, segment.bytes ? 'jsonl' : 'json')) {
      while (cursor.next()) {
        if (++count % RECORDS_PER_YIELD === 0) await yieldToEventLoop();
        const { id, version, start, length } = cursor;
        const [collection] = kinds[cursor.kind] as Kind;
        const isTombstone = length === 0;
        const location = isTombstone ? undefined : catalog.directory(collection).get(id);
        const isInUse = location?.segment === segment.number && location.start === start;
        const isNeeded = isTombstone ? !isOldest : isInUse;
        if (!isNeeded) continue;
        // A kind is a collection and indexed values. A tombstone has no values.
        const kind = location?.kind ?? catalog.kind(collection, '');
        const text = bytes.toString('latin1', start, start + length);
        needed.push({ kind, id, version, start: 0, length, text });
      }
      validEnd = end;
    }
    if (validEnd < bytes.length)
      throw new StoreDamagedError(catalog.fileOf(segment), `it is damaged at byte ${validEnd}`);
  }

  /** Writes a sealed segment, then updates the key directory for each record that no write has replaced meanwhile. */
  async function write(records: readonly NewRecord[]): Promise<void> {
    const segment = catalog.newSegment(undefined);
    const block = layOut(segment.number, 'json', records, catalog.kinds);
    await yieldToEventLoop();
    const bytes = writeBlock(Buffer.allocUnsafeSlow(block.size), block, 'latin1');
    await yieldToEventLoop();
    await writeFile(catalog.fileOf(segment), bytes);
    catalog.segments.set(segment.number, segment);
    for (const record of records) {
      const location = catalog.directoryOf(record.kind).get(record.id);
      // A document that was replaced meanwhile only adds to the cost. Identifiers are not used again, so a tombstone stays valid.
      if (record.length === 0 || location?.version === record.version)
        // `layOut` counts `start` from the end of the opening.
        catalog.apply(segment, record, block.opening.length);
      else segment.cost += costOf(record.length);
    }
  }

  /**
   * The manifest is saved first, so it never names a file that is missing. If a file cannot be removed, it is reported once, and
   * each rewrite tries again.
   */
  async function saveManifestAndRemoveReplaced(): Promise<void> {
    if (replaced.size > 0) await manifest.save();
    for (const file of replaced) {
      try {
        await removeFile(file);
        replaced.delete(file);
      } catch (error) {
        if (!unremovable.has(file)) onWarning(`${file}: cannot be removed now (${error}), and is no longer needed.`);
        unremovable.add(file);
      }
    }
  }
}
