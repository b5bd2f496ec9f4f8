import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isFolder, readIfExists, readWhole, syncFolder } from '../../files/files.ts';
import { decodeText } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import type { Properties, Store } from '../store.ts';
import { isTorn } from './block.ts';
import { manifestFile, readManifest, segmentsFolder } from './manifest.ts';

/**
 * The collection of format 1. It has `pets/<first identifier>.json` for sealed segments, `.jsonl` for others, all identifiers
 * from 1 on, and the high-water mark in `next.json`. It is migrated once, and never written.
 */
const COLLECTION = 'pets';

const oldFolder = (folder: string) => join(folder, 'pets');
const highWaterFile = (folder: string) => join(folder, 'next.json');

export async function hasFormat1(folder: string): Promise<boolean> {
  return (await isFolder(oldFolder(folder))) || (await readIfExists(highWaterFile(folder))) !== undefined;
}

/**
 * Migrates a folder of format 1 to a new store, which then replaces the former files. Does nothing for any other folder. The manifest
 * comes last, so after a crash the migration runs again. The old folder is renamed. `next.json` stays, so the former version reports
 * the missing pets instead of starting as an empty store.
 */
export async function migrateFormat1(
  folder: string,
  onWarning: (line: string) => void,
  open: (folder: string) => Promise<Store>,
): Promise<void> {
  if (!(await hasFormat1(folder))) return;
  const old = oldFolder(folder);
  const unfinished = join(folder, 'format-2.tmp');
  await rm(unfinished, { recursive: true, force: true });
  if (!(await readManifest(folder))) {
    try {
      await copy(folder, await open(unfinished), onWarning);
      // Leftovers of a crashed attempt.
      await rm(segmentsFolder(folder), { recursive: true, force: true });
      await rename(segmentsFolder(unfinished), segmentsFolder(folder));
      await syncFolder(folder);
      await rename(manifestFile(unfinished), manifestFile(folder));
      await syncFolder(folder);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }
  const renamed = `${old}.format-1`;
  if (await isFolder(old)) {
    await rename(old, renamed);
    onWarning(`${renamed}: the data in this folder was migrated; it may be removed.`);
  }
  await syncFolder(folder);
}

async function copy(folder: string, store: Store, onWarning: (line: string) => void): Promise<void> {
  const old = oldFolder(folder);
  let last = 0;
  try {
    const next = await readHighWater(folder);
    if (!(await isFolder(old))) throw new StoreDamagedError(old, 'the folder is missing');
    for await (const documents of segmentsIn(old, onWarning)) {
      last += documents.length;
      await store.collection(COLLECTION).restore(documents);
    }
    if (last < next - 1) throw new StoreDamagedError(old, `its last document is ${last} instead of ${next - 1}`);
  } finally {
    await store.close();
  }
}

async function readHighWater(folder: string): Promise<number> {
  const file = highWaterFile(folder);
  const text = (await readIfExists(file))?.toString('latin1');
  if (text === undefined) return 1;
  const next = Number(/^\{"next":(\d{1,16}),/.exec(text)?.[1]);
  if (text !== `{"next":${next},"crc32":${crc32(String(next))}}\n`)
    throw new StoreDamagedError(file, 'its content is damaged');
  return next;
}

/** The documents of each segment. A segment has at most a thousand. */
async function* segmentsIn(old: string, onWarning: (line: string) => void): AsyncGenerator<Properties[]> {
  const files = await readdir(old);
  const firsts = files.flatMap((file) => /^(\d{16})\.jsonl?$/.exec(file)?.[1] ?? []);
  const sorted = [...new Set(firsts)].sort();
  let next = 1;
  for (const first of sorted) {
    const isSealed = files.includes(`${first}.json`);
    const file = join(old, `${first}.json${isSealed ? '' : 'l'}`);
    if (Number(first) !== next) throw new StoreDamagedError(file, `it begins with ${Number(first)} instead of ${next}`);
    const bytes = await readWhole(file);
    const isLast = first === sorted.at(-1);
    if (isLast && isSealed) throw new StoreDamagedError(file, 'the last segment, which follows it, is missing');
    const segment = isSealed ? sealedSegment(bytes, next) : commitsIn(bytes);
    if (typeof segment === 'string') throw new StoreDamagedError(file, segment);
    const tail = bytes.length - segment.end;
    if (tail > 0 && !isLast)
      throw new StoreDamagedError(file, `its last ${tail} bytes are damaged, though another segment follows`);
    if (tail > 0) onWarning(`${file}: its last ${tail} bytes are an unfinished commit, which is not migrated.`);
    for (const { id } of segment.documents)
      if (id !== next++) throw new StoreDamagedError(file, `it has the document ${id} instead of ${next - 1}`);
    yield segment.documents;
  }
  if (sorted.length === 0) throw new StoreDamagedError(old, 'the last segment is missing');
}

interface Documents {
  documents: Properties[];
  end: number;
}

/** The documents of a sealed segment, or how it is damaged. */
function sealedSegment(bytes: Buffer, first: number): Documents | string {
  const footer = '\n]}\n';
  const [head, next] =
    /^\{"first":\d+,"next":(\d+),"crc32":\d+,"pets":\[\n/.exec(bytes.toString('latin1', 0, 80)) ?? [];
  const pets = bytes.subarray(head?.length, -footer.length);
  const expected = `{"first":${first},"next":${next},"crc32":${crc32(pets)},"pets":[\n`;
  if (head !== expected || bytes.toString('latin1', bytes.length - footer.length) !== footer)
    return 'its content is damaged';
  const documents = decodeText<Properties[]>(`[${pets}]`);
  return documents.length === Number(next) - first
    ? { documents, end: bytes.length }
    : `it holds ${documents.length} documents`;
}

/** The documents of all commits, or how they are damaged. */
function commitsIn(bytes: Buffer): Documents | string {
  const documents: Properties[] = [];
  let end = 0;
  for (let commit = commitAt(bytes, 0); commit; commit = commitAt(bytes, end)) {
    documents.push(...commit.documents);
    end = commit.end;
  }
  const rest = bytes.subarray(end);
  return isTorn(rest, '{"crc32":', (at) => commitAt(rest, at) !== undefined)
    ? { documents, end }
    : `the line at byte ${end} is damaged`;
}

/** The commit in the line at an offset; undefined if the line is not a valid commit. */
function commitAt(bytes: Buffer, at: number): Documents | undefined {
  const stop = bytes.indexOf(']}\n', at);
  const [head, checksum] = /^\{"crc32":(0|[1-9]\d{0,9}),"pets":\[/.exec(bytes.toString('latin1', at, at + 32)) ?? [];
  if (stop < 0 || head === undefined) return undefined;
  const pets = bytes.subarray(at + head.length, stop);
  if (pets.length === 0 || crc32(pets) !== Number(checksum)) return undefined;
  return { documents: decodeText(`[${pets}]`), end: stop + 3 };
}
