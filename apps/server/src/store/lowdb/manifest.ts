import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readIfExists } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';
import { decodeBlock, encodeBlock, writeFile } from './block.ts';
import type { Catalog } from './catalog.ts';

const FORMAT = 4;
/** The maximum delay of the manifest after a commit. */
const MAX_DELAY_MS = 1000;

export interface ManifestData {
  /** The version of the folder's format. */
  format: number;
  /** Unique for every store, so that versions of different stores differ. */
  id: string;
  /** The high-water mark: at least this many changes were committed. */
  sequence: number;
  /** The highest assigned identifier of each collection. */
  last: { [collection: string]: number };
  /** The numbers of the sealed segments. */
  sealed: number[];
  /** The first unsealed segment, and the sequence number of its first change. */
  unsealed: { segment: number; sequence: number };
}

export const segmentsFolder = (folder: string) => join(folder, 'segments');
export const manifestFile = (folder: string) => join(folder, 'store.json');

/** Creates the manifest of an empty store. Its identifier is always new. */
export function newManifest(): ManifestData {
  const unsealed = { segment: 1, sequence: 1 };
  return { format: FORMAT, sequence: 0, last: {}, sealed: [], unsealed, id: randomUUID().slice(0, 8) };
}

/** Reads the manifest of a folder; undefined if there is none. */
export async function readManifest(folder: string): Promise<ManifestData | undefined> {
  const file = manifestFile(folder);
  const bytes = await readIfExists(file);
  if (!bytes) return undefined;
  const block = decodeBlock<ManifestData>(bytes);
  if (block && block.head.format !== FORMAT)
    throw new StoreDamagedError(
      file,
      `the folder has format ${block.head.format}, and this version knows format ${FORMAT}`,
      'export it with the version that wrote it, and import that here',
    );
  if (block?.end !== bytes.length) throw new StoreDamagedError(file, 'its content is damaged');
  return block.head;
}

export async function writeManifest(folder: string, data: ManifestData): Promise<void> {
  await writeFile(manifestFile(folder), encodeBlock(data));
}

/** The manifest of an open store. */
export type Manifest = ReturnType<typeof openManifest>;

/**
 * Writes `store.json`: the valid segments, and the high-water mark of the changes. The mark reveals a file of commits that was
 * truncated between two lines. The mark is written within a second of a commit, so a truncation can hide only the changes of the
 * last second before a crash.
 */
export function openManifest(
  folder: string,
  catalog: Catalog,
  initial: ManifestData,
  onWarning: (line: string) => void,
) {
  let written = initial;
  let saving = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  /** Writes the manifest now. */
  const save = (): Promise<void> => (saving = saving.catch(() => {}).then(write));
  /** Schedules a write. A failed write is reported once, and repeated until it succeeds. */
  const saveSoon = () => {
    timer ??= setTimeout(saveOrRetry, MAX_DELAY_MS).unref();
  };
  return {
    saveSoon,
    save,
    /** Writes the manifest a last time. */
    close: async () => {
      await saveOrRetry();
      clearTimeout(timer);
    },
  };

  async function saveOrRetry(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const error: unknown = await save().catch((reason: unknown) => reason);
    if (error && !hasFailed) onWarning(`${manifestFile(folder)}: the high-water mark cannot be written (${error}).`);
    hasFailed = Boolean(error);
    if (error) saveSoon();
  }

  async function write(): Promise<void> {
    const { sealed, unsealed } = catalog.inOrder();
    const [first] = unsealed;
    const next: ManifestData = {
      ...initial,
      sequence: catalog.sequence,
      last: catalog.last,
      sealed: sealed.map(({ number }) => number),
      unsealed: first ? { segment: first.number, sequence: first.first } : initial.unsealed,
    };
    if (!isDeepStrictEqual(next, written)) await writeManifest(folder, next);
    written = next;
  }
}
