import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Low } from 'lowdb';
import { isFolder, makeFolder, readIfExists, readWhole, syncFolder } from '../../files/files.ts';
import type { CollectionDeclaration } from '../declaration.ts';
import { StoreDamagedError } from '../errors.ts';
import { Catalog, MAX_SEGMENT } from './catalog.ts';
import type { StoredRecord } from './commit-line.ts';
import { emptyManifest, type ManifestData } from './manifest.ts';
import { encodeSegment, type SealedSegment, sealedSegmentFile } from './sealed-segment.ts';

/**
 * The first format of the data folder: `pets/<first identifier>.json` for sealed segments and `.jsonl` for others, with
 * all identifiers from 1 on, and `next.json` with the high-water mark. It is carried over once, and never written.
 */
const COLLECTION = 'pets';

const oldFolder = (folder: string) => join(folder, 'pets');
const oldMark = (folder: string) => join(folder, 'next.json');

export async function hasFormat1(folder: string): Promise<boolean> {
  return (await isFolder(oldFolder(folder))) || (await readIfExists(oldMark(folder))) !== undefined;
}

/** Copies all documents into sealed segments of today's format. The old files stay as they are. */
export async function carryOver(
  folder: string,
  segments: string,
  options: { collections: readonly CollectionDeclaration[]; onWarning: (line: string) => void },
): Promise<ManifestData> {
  const catalog = new Catalog(options.collections);
  const old = oldFolder(folder);
  const next = await readMark(folder);
  if (!(await isFolder(old))) throw new StoreDamagedError(old, 'the folder is missing');
  // What an attempt that crashed left behind.
  await rm(segments, { recursive: true, force: true });
  await makeFolder(segments);
  const sealed: number[] = [];
  let texts: Buffer[] = [];
  let bytes = 0;
  let last = 0;
  const seal = async () => {
    if (texts.length === 0) return;
    sealed.push(sealed.length + 1);
    await writeSegment(segments, { number: sealed.length, first: last - texts.length + 1 }, texts, catalog);
    texts = [];
    bytes = 0;
  };
  for await (const text of documentsOf(old, options.onWarning)) {
    texts.push(text);
    bytes += text.length;
    last++;
    if (texts.length >= MAX_SEGMENT.records || bytes >= MAX_SEGMENT.bytes) await seal();
  }
  await seal();
  if (last < next - 1) throw new StoreDamagedError(old, `the documents ${last + 1} to ${next - 1} are missing`);
  return { ...emptyManifest(), sequence: last, last: { [COLLECTION]: last }, sealed, sealedThrough: last };
}

/** Puts the old files out of the way; nothing reads them any more. */
export async function retireFormat1(folder: string, onWarning: (line: string) => void): Promise<void> {
  const retired = `${oldFolder(folder)}.format-1`;
  if (await isFolder(oldFolder(folder))) {
    await rename(oldFolder(folder), retired);
    onWarning(`${retired}: this is the data in its former format, which was carried over; it may be removed.`);
  }
  await rm(oldMark(folder), { force: true });
  await syncFolder(folder);
}

async function writeSegment(
  folder: string,
  { number, first }: { number: number; first: number },
  texts: readonly Buffer[],
  catalog: Catalog,
): Promise<void> {
  const records: StoredRecord[] = [];
  for (const [i, { length }] of texts.entries())
    records.push({ collection: COLLECTION, id: first + i, version: first + i, start: 0, length });
  const tags = new Map<string, number>();
  const tagOf = texts.map((text) => {
    const tag = catalog.tagTextOf(COLLECTION, text);
    const at = tags.get(tag) ?? tags.size;
    return tags.set(tag, at) && at;
  });
  const part = { collection: COLLECTION, indexes: catalog.indexes(COLLECTION), tags: [...tags.keys()], records, tagOf };
  const { bytes } = encodeSegment({ number, floor: first + texts.length }, [part], texts);
  await new Low<SealedSegment>(sealedSegmentFile(folder, number), { floor: 0, parts: [], bytes }).write();
}

async function readMark(folder: string): Promise<number> {
  const file = oldMark(folder);
  const text = (await readIfExists(file))?.toString('latin1');
  if (text === undefined) return 1;
  const next = Number(/^\{"next":(\d{1,16}),/.exec(text)?.[1]);
  if (text !== `{"next":${next},"crc32":${crc32(String(next))}}\n`)
    throw new StoreDamagedError(file, 'this is not what was written there');
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
    if (Number(first) !== next)
      throw new StoreDamagedError(file, `it begins with ${Number(first)}, where ${next} belongs`);
    const bytes = await readWhole(file);
    const isLast = first === sorted.at(-1);
    if (isLast && isSealed) throw new StoreDamagedError(file, 'the last segment is missing behind it');
    const found = isSealed ? sealedDocuments(bytes, next) : committedDocuments(bytes);
    if (typeof found === 'string') throw new StoreDamagedError(file, found);
    const tail = bytes.length - found.end;
    if (tail > 0 && !isLast)
      throw new StoreDamagedError(file, `its last ${tail} bytes are damaged, though another follows`);
    if (tail > 0) onWarning(`${file}: its last ${tail} bytes are an unfinished commit, which is not carried over.`);
    for (const text of found.texts) {
      if (idOf(text) !== next) throw new StoreDamagedError(file, `${idOf(text)} stands where ${next} belongs`);
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
    return 'this is not what was written there';
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
    const found = stop < 0 ? undefined : documentsInLine(bytes.subarray(end, stop));
    if (!found) break;
    for (const text of found) texts.push(text);
    end = stop + 1;
  }
  const rest = bytes.subarray(end);
  const opening = Buffer.from('{"crc32":');
  const isTorn = rest[0] === 0 || rest.subarray(0, opening.length).equals(opening.subarray(0, rest.length));
  if (rest.length > 0 && !isTorn) return `the line at byte ${end} is not what was written there`;
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
