import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readIfExists } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';
import { readJson, writeJson } from './block.ts';
import type { Catalog } from './catalog.ts';

const FORMAT = 3;
/** The manifest follows the commits, sealing and merging by this much at most. */
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
  // The second format was written by development versions only, with its checksum in another place.
  const start = (await readIfExists(file))?.toString('latin1', 0, 40) ?? '';
  const data = /^{"crc32":\d+,"format":2,/.test(start) ? { format: 2 } : (await readJson<ManifestData>(file))?.meta;
  if (data && data.format !== FORMAT)
    throw new StoreDamagedError(
      file,
      `the folder has format ${data.format}, and this version knows formats 1 and ${FORMAT}`,
      'export it with the version that wrote it, and import that here',
    );
  return data as ManifestData | undefined;
}

export async function writeManifest(folder: string, data: ManifestData): Promise<void> {
  await writeJson(manifestFile(folder), [Buffer.from(`${JSON.stringify(data).slice(1)}\n`)]);
}

/** The manifest of an open store. */
export interface Manifest {
  /** Has it written soon. */
  follow(): void;
  /** Removes a file that nobody needs, once the manifest is written. */
  retire(file: string): void;
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
  let retired: string[] = [];
  let saving = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  const follow = () => {
    timer ??= setTimeout(save, MAX_BEHIND_MS).unref();
  };
  return {
    follow,
    retire: (file) => {
      retired.push(file);
      follow();
    },
    close: async () => {
      await save();
      clearTimeout(timer);
    },
  };

  /** A failure is reported once, and tried again until it succeeds. */
  function save(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    saving = saving.then(write).then(
      () => {
        hasFailed = false;
      },
      (error: unknown) => {
        if (!hasFailed) onWarning(`${manifestFile(folder)}: the high-water mark cannot be written (${error}).`);
        hasFailed = true;
        follow();
      },
    );
    return saving;
  }

  async function write(): Promise<void> {
    const { sequence, last } = catalog;
    const all = [...catalog.segments.values()];
    const sealed = all.filter(({ bytes }) => !bytes).map(({ number }) => number);
    const first = all.find(({ bytes }) => bytes);
    const unsealed = first ? { segment: first.number, sequence: first.floor } : found.unsealed;
    const next = { ...found, sequence, last: { ...last }, sealed, unsealed };
    const files = [...retired];
    if (!isDeepStrictEqual(next, written)) await writeManifest(folder, next);
    written = next;
    retired = retired.filter((file) => !files.includes(file));
    for (const file of files) await rm(file, { force: true });
  }
}
