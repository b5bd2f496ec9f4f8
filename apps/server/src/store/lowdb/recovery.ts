import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isFolder } from '../../files/files.ts';
import { decodeText } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import { blocksIn, isTorn, type Kind, readFile, type StoredRecord } from './block.ts';
import { type Catalog, type Segment, segmentFile } from './catalog.ts';
import type { ManifestData } from './manifest.ts';

/** What a folder of segments holds. */
export interface Recovered {
  /** The last segment, and the bytes behind its last commit: those of one that nobody was told of. */
  active: Segment;
  tail: Buffer;
  /** Files that a crash left behind and nobody needs. */
  leftovers: string[];
}

/** The event loop is free again after so many records. */
const SLICE = 1000;

/** So many segments are read while one is loaded. */
const READ_AHEAD = 4;

/**
 * Reads all segments that a manifest names into a catalog. It changes nothing, and rejects where anything is damaged or
 * missing. To verify is to hold every document against its entry, too.
 */
export async function recover(manifest: ManifestData, catalog: Catalog, isVerified = false): Promise<Recovered> {
  const { folder } = catalog;
  if (!(await isFolder(folder))) throw new StoreDamagedError(folder, 'the folder is missing');
  const files = await readdir(folder);
  const unsealed = unsealedIn(files, manifest);
  const names = [...manifest.sealed.map((number) => segmentFile(number, 'json')), ...unsealed];
  catalog.sequence = manifest.unsealed.sequence - 1;
  catalog.id = manifest.id;
  let tail: Buffer = Buffer.alloc(0);
  const ahead = names.slice(0, READ_AHEAD).map(read);
  for (const [i, name] of names.entries()) {
    const bytes = (await ahead.shift()) ?? tail;
    if (i + READ_AHEAD < names.length) ahead.push(read(names[i + READ_AHEAD] as string));
    tail = await load(name, bytes);
    if (tail.length > 0 && i < names.length - 1)
      throw new StoreDamagedError(join(folder, name), `its last ${tail.length} bytes are damaged`);
  }
  for (const [name, last] of Object.entries(manifest.last))
    catalog.last[name] = Math.max(last, catalog.last[name] ?? 0);
  const active = catalog.inOrder().unsealed.at(-1);
  if (!active || unsealed[0] !== segmentFile(manifest.unsealed.segment, 'jsonl'))
    throw new StoreDamagedError(folder, `segment ${manifest.unsealed.segment} is missing`);
  if (catalog.sequence < manifest.sequence) {
    const missing = `the changes ${catalog.sequence + 1} to ${manifest.sequence} are missing`;
    throw new StoreDamagedError(catalog.fileOf(active), missing);
  }
  return {
    active,
    tail,
    leftovers: files.filter((name) => /^\d{10}\.(jsonl?|.*\.tmp)$/.test(name) && !names.includes(name)),
  };

  function read(name: string): Promise<Buffer> {
    const bytes = readFile(join(folder, name));
    // A rejection is seen when its turn comes.
    bytes.catch(() => {});
    return bytes;
  }

  /** Returns what is behind the last good block. */
  async function load(name: string, bytes: Buffer): Promise<Buffer> {
    const file = join(folder, name);
    const isSealed = name.endsWith('.json');
    const segment = catalog.newSegment(isSealed ? undefined : bytes, Number.parseInt(name, 10));
    catalog.segments.set(segment.number, segment);
    let [end, unturned] = [0, 0];
    for (const block of blocksIn(bytes, isSealed ? 'json' : 'jsonl')) {
      const [first] = block.records;
      if (block.segment !== segment.number)
        throw new StoreDamagedError(file, `at byte ${end} it is segment ${block.segment}`);
      if (!isSealed && first?.version !== catalog.sequence + 1)
        throw new StoreDamagedError(file, `${first?.version} stands at byte ${end}, not ${catalog.sequence + 1}`);
      const kinds = block.kinds.map(knownKind);
      for (const record of block.records) {
        const [collection] = block.kinds[record.kind] as Kind;
        const known = kinds[record.kind];
        const isParsed = known === undefined || (isVerified && record.length > 0);
        const kind = isParsed ? kindOf(file, collection, record, bytes, known) : known;
        catalog.apply(segment, record, 0, kind);
      }
      if (!isSealed) catalog.sequence += block.records.length;
      end = block.end;
      unturned += block.records.length;
      // Requests that come meanwhile are answered: that the store is being opened.
      if (unturned >= SLICE) await turn();
      unturned %= SLICE;
    }
    if (isSealed ? end === 0 : !isTorn(bytes.subarray(end)))
      throw new StoreDamagedError(file, `what stands at byte ${end} is not what was written there`);
    if (!isSealed) segment.bytes = bytes.subarray(0, end);
    return bytes.subarray(end);
  }

  /** Documents are parsed only where the declaration has other indexes than it had. */
  function knownKind([collection, values]: Kind): number | undefined {
    const isSame = values === '' || String(Object.keys(decodeText(values))) === String(catalog.indexes(collection));
    return isSame ? catalog.kind(collection, values) : undefined;
  }

  /** The kind of a document, which has to be what its entry says. */
  function kindOf(file: string, collection: string, record: StoredRecord, bytes: Buffer, known?: number): number {
    const { id, start, length } = record;
    const idProperty = catalog.declared.get(collection)?.id;
    const properties = decodeText(bytes.toString('utf8', start, start + length));
    const kind = catalog.kindOf(collection, properties);
    if (idProperty === undefined || (properties[idProperty] === id && (known ?? kind) === kind)) return kind;
    throw new StoreDamagedError(file, `the document ${id} of '${collection}' is not what its entry says`);
  }
}

/** The files of segments that are not sealed, in order. */
export function unsealedIn(files: readonly string[], { unsealed }: ManifestData): string[] {
  const first = segmentFile(unsealed.segment, 'jsonl');
  return files.filter((name) => name.endsWith('.jsonl') && name >= first).sort();
}
