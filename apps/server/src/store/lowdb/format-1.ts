import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isFolder, readIfExists, readWhole, syncFolder } from '../../files/files.ts';
import { decodeText } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import type { Store } from '../store.ts';
import { manifestFile, readManifest, segmentsFolder } from './manifest.ts';

/**
 * The collection of format 1. It has `pets/<first identifier>.json` for sealed segments, `.jsonl` for others, all identifiers
 * from 1 on, and the high-water mark in `next.json`. It is migrated once, and never written.
 */
const COLLECTION = 'pets';
/** The number of documents per restore. */
const BATCH = 1000;

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
  let texts: Buffer[] = [];
  let last = 0;
  const restore = () => store.collection(COLLECTION).restore(texts.map((text) => decodeText(String(text))));
  try {
    const next = await readHighWater(folder);
    if (!(await isFolder(old))) throw new StoreDamagedError(old, 'the folder is missing');
    for await (const text of documentsOf(old, onWarning)) {
      last++;
      if (texts.push(text) < BATCH) continue;
      await restore();
      texts = [];
    }
    await restore();
    if (last < next - 1) throw new StoreDamagedError(old, `the documents ${last + 1} to ${next - 1} are missing`);
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

async function* documentsOf(old: string, onWarning: (line: string) => void): AsyncGenerator<Buffer> {
  const files = await readdir(old);
  const firsts = new Set(
    files.map((file) => /^(\d{16})\.jsonl?$/.exec(file)?.[1]).filter((first) => first !== undefined),
  );
  const sorted = [...firsts].sort();
  let next = 1;
  for (const first of sorted) {
    const isSealed = files.includes(`${first}.json`);
    const file = join(old, `${first}.json${isSealed ? '' : 'l'}`);
    if (Number(first) !== next) throw new StoreDamagedError(file, `it begins with ${Number(first)} instead of ${next}`);
    const bytes = await readWhole(file);
    const isLast = first === sorted.at(-1);
    if (isLast && isSealed) throw new StoreDamagedError(file, 'the last segment, which follows it, is missing');
    const documents = isSealed ? sealedDocuments(bytes, next) : committedDocuments(bytes);
    if (typeof documents === 'string') throw new StoreDamagedError(file, documents);
    const tail = bytes.length - documents.end;
    if (tail > 0 && !isLast)
      throw new StoreDamagedError(file, `its last ${tail} bytes are damaged, though another follows`);
    if (tail > 0) onWarning(`${file}: its last ${tail} bytes are an unfinished commit, which is not migrated.`);
    for (const text of documents.texts) {
      if (idOf(text) !== next)
        throw new StoreDamagedError(file, `it has the document ${idOf(text)} instead of ${next}`);
      next++;
      yield text;
    }
  }
  if (sorted.length === 0) throw new StoreDamagedError(old, 'the last segment is missing');
}

const idOf = (text: Buffer) => Number(/^\{"id":(\d+)/.exec(text.toString('latin1', 0, 30))?.[1]);

interface Documents {
  texts: Buffer[];
  end: number;
}

function sealedDocuments(bytes: Buffer, first: number): Documents | string {
  const footer = '\n]}\n';
  const [head, next] =
    /^\{"first":\d+,"next":(\d+),"crc32":\d+,"pets":\[\n/.exec(bytes.toString('latin1', 0, 80)) ?? [];
  const documents = bytes.subarray(head?.length, -footer.length);
  const expected = `{"first":${first},"next":${next},"crc32":${crc32(documents)},"pets":[\n`;
  if (head !== expected || bytes.toString('latin1', bytes.length - footer.length) !== footer)
    return 'its content is damaged';
  const texts = split(documents, ',\n');
  return texts.length === Number(next) - first ? { texts, end: bytes.length } : `it holds ${texts.length} documents`;
}

function split(bytes: Buffer, between: string): Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const at = bytes.indexOf(between, start);
    parts.push(bytes.subarray(start, at < 0 ? bytes.length : at));
    start = at < 0 ? bytes.length : at + between.length;
  }
  return parts;
}

function committedDocuments(bytes: Buffer): Documents | string {
  const texts: Buffer[] = [];
  let end = 0;
  while (end < bytes.length) {
    const stop = bytes.indexOf('\n', end);
    const documents = stop < 0 ? undefined : documentsInLine(bytes.subarray(end, stop));
    if (!documents) break;
    for (const text of documents) texts.push(text);
    end = stop + 1;
  }
  const rest = bytes.subarray(end);
  const opening = Buffer.from('{"crc32":');
  const isTorn = rest[0] === 0 || rest.subarray(0, opening.length).equals(opening.subarray(0, rest.length));
  if (rest.length > 0 && !isTorn) return `the line at byte ${end} is damaged`;
  for (let at = rest.indexOf(opening, 1); at >= 0; at = rest.indexOf(opening, at + 1)) {
    const stop = rest.indexOf('\n', at);
    if (stop >= 0 && documentsInLine(rest.subarray(at, stop))) return `the line at byte ${end} is damaged`;
  }
  return { texts, end };
}

function documentsInLine(line: Buffer): Buffer[] | undefined {
  const [head, checksum] = /^\{"crc32":(0|[1-9]\d{0,9}),"pets":\[/.exec(line.toString('latin1', 0, 32)) ?? [];
  if (head === undefined || line.toString('latin1', line.length - 2) !== ']}') return undefined;
  const pets = line.subarray(head.length, -2);
  if (pets.length === 0 || crc32(pets) !== Number(checksum)) return undefined;
  return (JSON.parse(`[${pets}]`) as object[]).map((pet) => Buffer.from(JSON.stringify(pet)));
}
