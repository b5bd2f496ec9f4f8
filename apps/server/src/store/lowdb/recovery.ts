import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isFolder, readWhole } from '../../files/files.ts';
import { decodeText } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import { type Catalog, newSegment, type Segment } from './catalog.ts';
import { readCommits } from './commit-line.ts';
import type { ManifestData } from './manifest.ts';
import { readSealed, segmentFile, visitSealed } from './sealed-segment.ts';

/** What a folder of segments holds. */
export interface Recovered {
  /** Segments that are full but not sealed, in order. */
  full: Segment[];
  /** The last one, its file, and where its last commit ends: the bytes behind it are of one that nobody was told of. */
  active: { segment: Segment; file: string; bytes: Buffer; end: number };
  /** Files that a crash left behind and nobody needs. */
  leftovers: string[];
}

/** The event loop is free again after so many documents were parsed. */
const SLICE = 1000;
/** So many files are read ahead. */
const READ_AHEAD = 4;

/**
 * Reads all segments that a manifest names into a catalog. It changes nothing, and rejects where anything is damaged or
 * missing. To verify is to hold every document against its entry, too.
 */
export async function recover(
  folder: string,
  manifest: ManifestData,
  catalog: Catalog,
  isVerified = false,
): Promise<Recovered> {
  if (!(await isFolder(folder))) throw new StoreDamagedError(folder, 'the folder is missing');
  const files = await readdir(folder);
  const { sealed, unsealed } = manifest;
  const open = files.filter((file) => file.endsWith('.jsonl') && file >= segmentFile(unsealed.segment, 'jsonl')).sort();
  const isLeftover = (file: string) =>
    /^\d{10}\.(json|.*\.tmp)$|^\d{10}\.jsonl$/.test(file) &&
    !open.includes(file) &&
    !sealed.some((number) => segmentFile(number, 'json') === file);
  Object.assign(catalog.last, manifest.last);
  catalog.sequence = unsealed.sequence - 1;
  catalog.id = manifest.id;
  await recoverSealed(folder, sealed, catalog, isVerified);
  const found = await recoverUnsealed(folder, open, unsealed.segment, catalog, isVerified);
  catalog.settle();
  const active = found.pop();
  if (!active) throw new StoreDamagedError(folder, 'the last segment is missing');
  if (catalog.sequence < manifest.sequence)
    throw new StoreDamagedError(active.file, `the changes ${catalog.sequence + 1} to ${manifest.sequence} are missing`);
  return { full: found.map(({ segment }) => segment), active, leftovers: files.filter(isLeftover) };
}

async function recoverSealed(folder: string, numbers: readonly number[], catalog: Catalog, isVerified: boolean) {
  const read = async (number: number | undefined) => number && readSealed(folder, number);
  const ahead = numbers.slice(0, READ_AHEAD).map(read);
  for (const [i, number] of numbers.entries()) {
    const file = join(folder, segmentFile(number, 'json'));
    // A rejection is seen when its turn comes.
    for (const promise of ahead) promise.catch(() => {});
    const sealed = await ahead.shift();
    ahead.push(read(numbers[i + READ_AHEAD]));
    if (!sealed) continue;
    const { bytes, kinds, indexes } = sealed;
    const segment = newSegment(number, sealed.floor);
    catalog.segments.set(number, segment);
    // Documents are parsed only where the declaration has other indexes than it had.
    const isSame = (collection: string) => String(indexes[collection]) === String(catalog.indexes(collection));
    const tags = kinds.map(([collection, values]) =>
      isSame(collection) ? catalog.directory(collection).tag(values) : undefined,
    );
    visitSealed(sealed, (id, version, start, length, kind) => {
      const [collection = ''] = kinds[kind] ?? [];
      let tag = tags[kind];
      if (length > 0 && (tag === undefined || isVerified))
        tag = tagOf(file, bytes.subarray(start, start + length), { catalog, collection, id, tag, isVerified });
      catalog.apply(segment, collection, id, version, start, length, tag ?? 0);
    });
    // Requests that come meanwhile are answered: that the store is being opened.
    await turn();
  }
}

async function recoverUnsealed(
  folder: string,
  names: readonly string[],
  first: number,
  catalog: Catalog,
  isVerified: boolean,
) {
  const found: Recovered['active'][] = [];
  for (const [i, name] of names.entries()) {
    const number = first + i;
    const file = join(folder, segmentFile(number, 'jsonl'));
    if (name !== segmentFile(number, 'jsonl')) throw new StoreDamagedError(file, 'the file is missing');
    const bytes = await readWhole(file);
    const commits = readCommits(bytes);
    if (typeof commits === 'string') throw new StoreDamagedError(file, commits);
    const next = catalog.sequence + 1;
    if (commits.first !== undefined && commits.first !== next)
      throw new StoreDamagedError(file, `it begins with the change ${commits.first}, where ${next} belongs`);
    const tail = bytes.length - commits.end;
    if (tail > 0 && i < names.length - 1)
      throw new StoreDamagedError(file, `its last ${tail} bytes are damaged, though another segment follows`);
    const segment = newSegment(number, next, bytes.subarray(0, commits.end));
    catalog.segments.set(number, segment);
    for (const [n, record] of commits.records.entries()) {
      if (n % SLICE === SLICE - 1) await turn();
      const { collection, id, version, start, length } = record;
      const document = bytes.subarray(start, start + length);
      const tag = length > 0 ? tagOf(file, document, { catalog, collection, id, isVerified }) : 0;
      segment.records.push(record);
      catalog.apply(segment, collection, id, version, start, length, tag);
    }
    catalog.sequence += commits.records.length;
    found.push({ segment, file, bytes, end: commits.end });
  }
  return found;
}

interface Expected {
  catalog: Catalog;
  collection: string;
  id: number;
  tag?: number | undefined;
  isVerified: boolean;
}

/** The tag of a document, which is what its entry says, if that is verified. */
function tagOf(file: string, document: Buffer, { catalog, collection, id, tag, isVerified }: Expected): number {
  const idProperty = catalog.idProperty(collection);
  try {
    const properties = decodeText(document.toString());
    const found = catalog.tagOf(collection, properties);
    if (!isVerified || idProperty === undefined) return found;
    if (properties[idProperty] === id && (tag === undefined || tag === found)) return found;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new StoreDamagedError(file, `the document ${id} of '${collection}' is not what its entry says`);
}
