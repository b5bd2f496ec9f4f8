import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isFolder } from '../../files/files.ts';
import { decodeText } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import { blocksIn, type Form, isTorn, type Kind, type RecordCursor, readFile, type StoredRecord } from './block.ts';
import { type Catalog, RECORDS_PER_YIELD, type Segment, segmentFile } from './catalog.ts';
import type { ManifestData } from './manifest.ts';

/** The number of segments that are read concurrently. */
const READ_AHEAD = 4;

/** Reads the segments of a manifest into a catalog, without changing files. Rejects if anything is damaged or missing. */
export async function recover(manifest: ManifestData, catalog: Catalog) {
  const { folder } = catalog;
  if (!(await isFolder(folder))) throw new StoreDamagedError(folder, 'the folder is missing');
  const files = await readdir(folder);
  const names = segmentFilesOf(manifest, files);
  catalog.sequence = manifest.unsealed.sequence - 1;
  catalog.id = manifest.id;
  let tail: Buffer = Buffer.alloc(0);
  /** The memory of loaded sealed segments. Later segments are read into it, because allocating costs as much as reading. */
  const spares: ArrayBufferLike[] = [];
  const ahead = names.slice(0, READ_AHEAD).map(read);
  for (const [i, name] of names.entries()) {
    const bytes = await (ahead.shift() as Promise<Buffer>);
    tail = await load(name, bytes);
    if (formOf(name) === 'json') spares.push(bytes.buffer);
    const next = names[i + READ_AHEAD];
    if (next !== undefined) ahead.push(read(next));
    if (tail.length > 0 && i < names.length - 1)
      throw new StoreDamagedError(join(folder, name), `its last ${tail.length} bytes are damaged`);
  }
  for (const [name, last] of Object.entries(manifest.last)) {
    const directory = catalog.directory(name);
    directory.last = Math.max(last, directory.last);
  }
  const active = catalog.inOrder().unsealed.at(-1);
  if (!active || !names.includes(segmentFile(manifest.unsealed.segment, 'jsonl')))
    throw new StoreDamagedError(folder, `segment ${manifest.unsealed.segment} is missing`);
  if (catalog.sequence < manifest.sequence) {
    const finding = `its last change is ${catalog.sequence} instead of ${manifest.sequence}`;
    throw new StoreDamagedError(catalog.fileOf(active), finding);
  }
  return {
    /** The last segment. */
    active,
    /** The bytes after the last commit of this segment: an unacknowledged write. */
    tail,
    /** Files that a crash left behind, and that can be removed. */
    leftovers: files.filter((name) => /^\d{10}\.(jsonl?|.*\.tmp)$/.test(name) && !names.includes(name)),
  };

  function read(name: string): Promise<Buffer> {
    const spare = formOf(name) === 'json' ? (spares.pop() ?? new ArrayBuffer(catalog.maxSegment)) : undefined;
    const bytes = readFile(join(folder, name), spare);
    // The loop that awaits this promise handles a rejection later.
    bytes.catch(() => {});
    return bytes;
  }

  /** Adds a segment to the catalog, and returns the bytes after its last valid block. */
  async function load(name: string, bytes: Buffer): Promise<Buffer> {
    const file = join(folder, name);
    const form = formOf(name);
    const segment = catalog.newSegment(form === 'json' ? undefined : bytes, Number.parseInt(name, 10));
    catalog.segments.set(segment.number, segment);
    let [end, sinceYield] = [0, 0];
    for (const { segment: number, kinds, records, end: blockEnd } of blocksIn(bytes, form)) {
      if (number !== segment.number) throw new StoreDamagedError(file, `byte ${end} belongs to segment ${number}`);
      sinceYield += apply(segment, file, bytes, kinds, records);
      end = blockEnd;
      // During a yield, requests get the error that the store is opening.
      if (sinceYield >= RECORDS_PER_YIELD) await yieldToEventLoop();
      sinceYield %= RECORDS_PER_YIELD;
    }
    // A crash may leave a torn commit at the end of an unsealed segment.
    if (form === 'json' ? end === 0 : !isTorn(bytes.subarray(end)))
      throw new StoreDamagedError(file, `it is damaged at byte ${end}`);
    if (form === 'jsonl') segment.bytes = bytes.subarray(0, end);
    return bytes.subarray(end);
  }

  /** Adds the records of a block to the catalog, and returns their number. */
  function apply(segment: Segment, file: string, bytes: Buffer, kinds: readonly Kind[], records: RecordCursor): number {
    const known = kinds.map(knownKind);
    let count = 0;
    for (; records.next(); count++) {
      const { version } = records;
      // The changes in unsealed segments have no gaps. Sealed ones lack replaced changes.
      if (segment.bytes && version !== ++catalog.sequence)
        throw new StoreDamagedError(file, `it has the change ${version} instead of ${catalog.sequence}`);
      let kind = known[records.kind];
      kind ??= kindOf((kinds[records.kind] as Kind)[0], records, bytes);
      catalog.apply(segment, records, 0, kind);
    }
    return count;
  }

  /** The position of a kind in `catalog.kinds`; undefined if other properties are indexed now, so documents have to be parsed. */
  function knownKind([collection, values]: Kind): number | undefined {
    const isSame = values === '' || String(Object.keys(decodeText(values))) === String(catalog.indexes(collection));
    return isSame ? catalog.kind(collection, values) : undefined;
  }

  /** The kind of a document, from its properties. */
  function kindOf(collection: string, { start, length }: StoredRecord, bytes: Buffer): number {
    return catalog.kindOf(collection, decodeText(bytes.toString('utf8', start, start + length)));
  }
}

const formOf = (name: string): Form => (name.endsWith('.json') ? 'json' : 'jsonl');

/** The files of the segments of a manifest, and of all later segments, in order. */
function segmentFilesOf({ sealed, unsealed }: ManifestData, files: readonly string[]): string[] {
  const first = segmentFile(unsealed.segment, 'jsonl');
  const later = files.filter((name) => /^\d{10}\.jsonl$/.test(name) && name >= first).sort();
  return [...sealed.map((number) => segmentFile(number, 'json')), ...later];
}
