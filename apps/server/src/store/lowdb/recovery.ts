import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isFolder, readWhole } from '../../files/files.ts';
import { decodeText } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import { type Catalog, newSegment, type Segment } from './catalog.ts';
import { readCommits, type StoredRecord } from './commit-line.ts';
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
  const first = segmentFile(manifest.unsealed.segment, 'jsonl');
  const unsealed = files.filter((name) => name.endsWith('.jsonl') && name >= first).sort();
  const named = new Set([...unsealed, ...manifest.sealed.map((number) => segmentFile(number, 'json'))]);
  catalog.sequence = manifest.unsealed.sequence - 1;
  catalog.id = manifest.id;
  await recoverSealed();
  const found: Recovered['active'][] = [];
  for (const name of unsealed) found.push(await recoverUnsealed(name, manifest.unsealed.segment + found.length));
  catalog.settle();
  for (const [name, last] of Object.entries(manifest.last))
    catalog.last[name] = Math.max(last, catalog.last[name] ?? 0);
  const active = found.pop();
  if (!active) throw new StoreDamagedError(folder, 'the last segment is missing');
  if (catalog.sequence < manifest.sequence)
    throw new StoreDamagedError(active.file, `the changes ${catalog.sequence + 1} to ${manifest.sequence} are missing`);
  return {
    full: found.map(({ segment }) => segment),
    active,
    leftovers: files.filter((name) => /^\d{10}\.(jsonl?|.*\.tmp)$/.test(name) && !named.has(name)),
  };

  async function recoverSealed(): Promise<void> {
    const read = async (number: number | undefined) => number && readSealed(folder, number);
    const ahead = manifest.sealed.slice(0, READ_AHEAD).map(read);
    for (const [i, number] of manifest.sealed.entries()) {
      // A rejection is seen when its turn comes.
      for (const promise of ahead) promise.catch(() => {});
      const sealed = await ahead.shift();
      ahead.push(read(manifest.sealed[i + READ_AHEAD]));
      if (!sealed) continue;
      const { bytes, kinds } = sealed;
      const indexes = new Map(sealed.indexes);
      const segment = newSegment(number, sealed.floor);
      catalog.segments.set(number, segment);
      // Documents are parsed only where the declaration has other indexes than it had.
      const isSame = (collection: string) => String(indexes.get(collection)) === String(catalog.indexes(collection));
      const tags = kinds.map(([collection, values]) =>
        isSame(collection) ? catalog.directory(collection).tag(values) : undefined,
      );
      const file = join(folder, segmentFile(number, 'json'));
      visitSealed(sealed, (record, kind) => {
        const known = record.length === 0 ? 0 : tags[kind];
        const isParsed = known === undefined || (isVerified && record.length > 0);
        catalog.apply(segment, record, isParsed ? tagOf(file, record, bytes, known) : known);
      });
      // Requests that come meanwhile are answered: that the store is being opened.
      await turn();
    }
  }

  async function recoverUnsealed(name: string, number: number): Promise<Recovered['active']> {
    const file = join(folder, segmentFile(number, 'jsonl'));
    if (name !== segmentFile(number, 'jsonl')) throw new StoreDamagedError(file, 'the file is missing');
    const bytes = await readWhole(file);
    const commits = readCommits(bytes);
    if (typeof commits === 'string') throw new StoreDamagedError(file, commits);
    const next = catalog.sequence + 1;
    if (commits.first !== undefined && commits.first !== next)
      throw new StoreDamagedError(file, `it begins with the change ${commits.first}, where ${next} belongs`);
    const tail = bytes.length - commits.end;
    if (tail > 0 && name !== unsealed.at(-1))
      throw new StoreDamagedError(file, `its last ${tail} bytes are damaged, though another segment follows`);
    const segment = newSegment(number, next, bytes.subarray(0, commits.end));
    catalog.segments.set(number, segment);
    for (const [i, record] of commits.records.entries()) {
      if (i % SLICE === SLICE - 1) await turn();
      segment.records.push(record);
      catalog.apply(segment, record, record.length > 0 ? tagOf(file, record, bytes) : 0);
    }
    catalog.sequence += commits.records.length;
    return { segment, file, bytes, end: commits.end };
  }

  /** The tag of a document, which is what its entry says, if that is verified. */
  function tagOf(file: string, { collection, id, start, length }: StoredRecord, bytes: Buffer, known?: number): number {
    const idProperty = catalog.idProperty(collection);
    try {
      const properties = decodeText(bytes.toString('utf8', start, start + length));
      const tag = catalog.tagOf(collection, properties);
      const isRight = idProperty === undefined || (properties[idProperty] === id && (known ?? tag) === tag);
      if (isRight || !isVerified) return tag;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw new StoreDamagedError(file, `the document ${id} of '${collection}' is not what its entry says`);
  }
}
