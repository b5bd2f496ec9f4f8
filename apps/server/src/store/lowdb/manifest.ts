import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readIfExists } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';
import { decodeBlock, encodeBlock, writeFile } from './block.ts';
import type { Catalog } from './catalog.ts';

const FORMAT = 4;
/** The manifest follows the commits by this much at most. */
const MAX_BEHIND_MS = 1000;

export interface ManifestData {
  /** The version of the folder's format. */
  format: number;
  /** Another one in every store and every backup, so that versions of different stores differ. */
  id: string;
  /** The high-water mark: at least this many changes were committed. */
  sequence: number;
  /** The highest identifier that each collection has given out. */
  last: { [collection: string]: number };
  /** The numbers of the sealed segments. */
  sealed: number[];
  /** The first segment that is not sealed, and the first change that it can hold: those behind it follow. */
  unsealed: { segment: number; sequence: number };
}

export const segmentsFolder = (folder: string) => join(folder, 'segments');
export const manifestFile = (folder: string) => join(folder, 'store.json');

/** The manifest of a store without documents, or one that differs from others in these parts. */
export function newManifest(parts: Partial<ManifestData> = {}): ManifestData {
  const unsealed = { segment: 1, sequence: 1 };
  return { format: FORMAT, sequence: 0, last: {}, sealed: [], unsealed, ...parts, id: randomUUID().slice(0, 8) };
}

/** The manifest of a folder, if there is one. */
export async function readManifest(folder: string): Promise<ManifestData | undefined> {
  const file = manifestFile(folder);
  const bytes = await readIfExists(file);
  if (!bytes) return undefined;
  // The second and the third format were written by development versions only, and have other blocks.
  const former = /^{ ?"crc32": *\d+,"format":([23]),/.exec(bytes.toString('latin1', 0, 40))?.[1];
  const block = decodeBlock<ManifestData>(bytes);
  const format = former ?? block?.head.format;
  if (format !== undefined && format !== FORMAT)
    throw new StoreDamagedError(
      file,
      `the folder has format ${format}, and this version knows formats 1 and ${FORMAT}`,
      'export it with the version that wrote it, and import that here',
    );
  if (block?.end !== bytes.length) throw new StoreDamagedError(file, 'this is not what was written there');
  return block.head;
}

export async function writeManifest(folder: string, data: ManifestData): Promise<void> {
  await writeFile(manifestFile(folder), encodeBlock(data));
}

/** The manifest of an open store. */
export interface Manifest {
  /** Has it written soon. A failure is reported once, and tried again until it succeeds. */
  follow(): void;
  /** Writes it. */
  save(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes `store.json` beside the segments: which of them count, and how far the store has come. A file of commits that was
 * cut off between two lines looks like a store that never had more; the high-water mark tells. It follows the commits within
 * a second, so the changes of the last second before a crash are all that a cut could hide.
 */
export function openManifest(
  folder: string,
  catalog: Catalog,
  found: ManifestData,
  onWarning: (line: string) => void,
): Manifest {
  let written = found;
  let saving = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  const save = () => {
    saving = saving.catch(() => {}).then(write);
    return saving;
  };
  const follow = () => {
    timer ??= setTimeout(saveInTime, MAX_BEHIND_MS).unref();
  };
  return {
    follow,
    save,
    close: async () => {
      await saveInTime();
      clearTimeout(timer);
    },
  };

  async function saveInTime(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const error: unknown = await save().catch((reason: unknown) => reason);
    if (error && !hasFailed) onWarning(`${manifestFile(folder)}: the high-water mark cannot be written (${error}).`);
    hasFailed = Boolean(error);
    if (error) follow();
  }

  async function write(): Promise<void> {
    const { sealed, unsealed } = catalog.inOrder();
    const [first] = unsealed;
    const next: ManifestData = {
      ...found,
      sequence: catalog.sequence,
      last: catalog.last,
      sealed: sealed.map(({ number }) => number),
      unsealed: first ? { segment: first.number, sequence: first.first } : found.unsealed,
    };
    if (!isDeepStrictEqual(next, written)) await writeManifest(folder, next);
    written = next;
  }
}
