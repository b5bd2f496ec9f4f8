import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Low } from 'lowdb';
import { isFolder, readWhole } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';
import { ActiveSegment } from './active-segment.ts';
import { type Catalog, newSegment, type Segment } from './catalog.ts';
import { type Commits, readCommits } from './commit-line.ts';
import type { ManifestData } from './manifest.ts';
import { type SealedSegment, sealedSegmentFile } from './sealed-segment.ts';
import { isUnfinished, segmentFile, segmentName } from './segment-names.ts';

/** What a folder of segments holds. */
export interface Recovered {
  catalog: Catalog;
  /** The segments that are full but not sealed, in order. */
  full: Segment[];
  /** The last one. */
  segment: Segment;
  active: ActiveSegment;
  /** The bytes behind its last commit. */
  tail: number;
  /** The highest number that a file has. */
  lastNumber: number;
  /** Files that a crash left behind and nobody needs. */
  leftovers: string[];
}

/** The event loop is free again after so many documents were parsed. */
const SLICE = 1000;
/** So many files are read ahead. */
const READ_AHEAD = 4;

/** Reads all segments that a manifest names. It changes nothing, and rejects where anything is damaged or missing. */
export async function recover(folder: string, manifest: ManifestData, catalog: Catalog): Promise<Recovered> {
  if (!(await isFolder(folder))) throw new StoreDamagedError(folder, 'the folder is missing');
  const files = await readdir(folder);
  const names = files.map(segmentName).filter((name) => name !== undefined);
  Object.assign(catalog.last, manifest.last);
  await recoverSealed(folder, manifest.sealed, catalog);

  const open = names.filter(({ sealed }) => !sealed).map(({ number }) => number);
  const unsealed: (Found & { number: number })[] = [];
  const leftovers = files.filter((file) => isUnfinished(file) || isForgotten(file, manifest));
  let next = manifest.sealedThrough + 1;
  for (const number of open.sort((a, b) => a - b)) {
    const found = await readUnsealed(join(folder, segmentFile(number, false)));
    const { commits, file } = found;
    const last = (commits.first ?? 0) + commits.records.length - 1;
    if (commits.first !== undefined && last <= manifest.sealedThrough) {
      leftovers.push(segmentFile(number, false));
      continue;
    }
    if (commits.first !== undefined && commits.first !== next)
      throw new StoreDamagedError(file, `it begins with the change ${commits.first}, where ${next} belongs`);
    next += commits.records.length;
    unsealed.push({ ...found, number });
  }
  return finish(folder, manifest, catalog, unsealed, {
    leftovers,
    lastNumber: Math.max(0, ...names.map(({ number }) => number), ...manifest.sealed),
  });
}

/** Removes what `recover` found to be left over. */
export async function removeLeftovers(folder: string, { leftovers }: Recovered): Promise<void> {
  for (const file of leftovers) await rm(join(folder, file), { force: true });
}

/** A sealed segment that the manifest does not name: merged into another one, or not yet in the place of others. */
function isForgotten(file: string, { sealed }: ManifestData): boolean {
  const name = segmentName(file);
  return name?.sealed === true && !sealed.includes(name.number);
}

async function recoverSealed(folder: string, sealed: readonly number[], catalog: Catalog): Promise<void> {
  const read = (number: number | undefined) => number && readSealed(folder, number);
  const ahead = sealed.slice(0, READ_AHEAD).map(read);
  for (const [i, number] of sealed.entries()) {
    // A rejection is seen when its turn comes.
    for (const promise of ahead) if (promise) promise.catch(() => {});
    const { floor, parts, bytes } = (await ahead.shift()) as SealedSegment;
    ahead.push(read(sealed[i + READ_AHEAD]));
    const segment = newSegment(number, floor);
    catalog.segments.set(number, segment);
    for (const { collection, indexes, tags, visit } of parts) {
      const directory = catalog.directory(collection);
      const isSame = indexes.join() === catalog.indexes(collection).join();
      const known = isSame ? tags.map((tag) => directory.tag(tag)) : [];
      const recoverInto = catalog.recovery(segment, collection);
      visit((id, version, start, length, tag) => {
        // Documents are parsed only where the declaration has other indexes than it had.
        const parsed = () => directory.tag(catalog.tagTextOf(collection, bytes.subarray(start, start + length)));
        recoverInto(id, version, start, length, isSame || length === 0 ? (known[tag] ?? 0) : parsed());
      });
    }
    // Requests that come meanwhile are answered: that the store is being opened.
    await turn();
  }
  catalog.settle();
}

async function readSealed(folder: string, number: number): Promise<SealedSegment> {
  const low = new Low<SealedSegment>(sealedSegmentFile(folder, number), {
    floor: 0,
    parts: [],
    bytes: Buffer.alloc(0),
  });
  await low.read().catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new StoreDamagedError(join(folder, segmentFile(number, true)), 'the file is missing');
    throw error;
  });
  return low.data;
}

interface Found {
  file: string;
  bytes: Buffer;
  commits: Commits;
}

async function readUnsealed(file: string): Promise<Found> {
  const bytes = await readWhole(file);
  const commits = readCommits(bytes);
  if (typeof commits === 'string') throw new StoreDamagedError(file, commits);
  return { file, bytes, commits };
}

async function finish(
  folder: string,
  manifest: ManifestData,
  catalog: Catalog,
  unsealed: (Found & { number: number })[],
  about: Pick<Recovered, 'leftovers' | 'lastNumber'>,
): Promise<Recovered> {
  const last = unsealed.at(-1);
  if (!last) throw new StoreDamagedError(folder, 'the last segment is missing');
  const full: Segment[] = [];
  const active = new ActiveSegment(last.file, { bytes: last.bytes, end: last.commits.end });
  let newest = newSegment(last.number, 0);
  catalog.sequence = Math.max(catalog.sequence, manifest.sealedThrough);
  for (const { number, file, bytes, commits } of unsealed) {
    const tail = bytes.length - commits.end;
    if (tail > 0 && number !== last.number)
      throw new StoreDamagedError(file, `its last ${tail} bytes are damaged, though another segment follows`);
    const segment = newSegment(number, catalog.sequence + 1);
    segment.bytes = number === last.number ? active.bytes : bytes;
    catalog.segments.set(number, segment);
    for (const [i, record] of commits.records.entries()) {
      if (i % SLICE === SLICE - 1) await turn();
      const { collection, start, length } = record;
      const tagText = length > 0 ? catalog.tagTextOf(collection, bytes.subarray(start, start + length)) : '[]';
      segment.records.push(record);
      catalog.apply(segment, record, catalog.directory(collection).tag(tagText));
    }
    if (number !== last.number) full.push(segment);
    newest = segment;
    await turn();
  }
  if (catalog.sequence < manifest.sequence)
    throw new StoreDamagedError(last.file, `the changes ${catalog.sequence + 1} to ${manifest.sequence} are missing`);
  return { catalog, full, segment: newest, active, tail: last.bytes.length - last.commits.end, ...about };
}
