import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { StoreDamagedError } from '../errors.ts';
import type { Catalog, Segment } from './catalog.ts';
import { readJson, writeJson } from './json-file.ts';

const FORMAT = 2;
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
  const bytes = await readJson(manifestFile(folder));
  const data: ManifestData | undefined = bytes ? JSON.parse(String(bytes)) : undefined;
  if (data && data.format > FORMAT)
    throw new StoreDamagedError(
      manifestFile(folder),
      `the folder has format ${data.format}, and this version knows formats 1 to ${FORMAT}`,
    );
  return data;
}

export async function writeManifest(folder: string, data: ManifestData): Promise<void> {
  await writeJson(manifestFile(folder), [Buffer.from(`${JSON.stringify(data).slice(1)}\n`)]);
}

/**
 * `store.json` beside the segments: which of them count, and how far the store has come. A file of commits that was cut
 * off between two lines looks like a store that never had more; the high-water mark tells. It follows the commits within
 * a second, so the changes of the last second before a crash are all that a cut could hide.
 */
export class Manifest {
  readonly #retired: string[] = [];
  readonly #folder: string;
  readonly #catalog: Catalog;
  readonly #onWarning: (line: string) => void;
  #written: ManifestData;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failed = false;

  constructor(folder: string, written: ManifestData, catalog: Catalog, onWarning: (line: string) => void) {
    this.#folder = folder;
    this.#written = written;
    this.#catalog = catalog;
    this.#onWarning = onWarning;
  }

  /** Has the manifest written soon. A failure is reported once, and tried again until it succeeds. */
  follow(): void {
    this.#timer ??= setTimeout(() => void this.save(), MAX_BEHIND_MS).unref();
  }

  /** Removes a file that nobody needs, once the manifest is written. */
  retire(file: string): void {
    this.#retired.push(file);
    this.follow();
  }

  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saving = this.#saving.then(async () => {
      try {
        await this.#write();
        this.#failed = false;
      } catch (error) {
        if (!this.#failed)
          this.#onWarning(`${manifestFile(this.#folder)}: the high-water mark cannot be written (${error}).`);
        this.#failed = true;
        this.follow();
      }
    });
    return this.#saving;
  }

  async close(): Promise<void> {
    await this.save();
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    const { sequence, last, segments } = this.#catalog;
    const sealed = [...segments.values()].filter(({ bytes }) => !bytes).map(({ number }) => number);
    const unsealed = [...segments.values()].find(({ bytes }) => bytes) as Segment;
    const next: ManifestData = {
      ...this.#written,
      sequence,
      last: { ...last },
      sealed,
      unsealed: { segment: unsealed.number, sequence: unsealed.floor },
    };
    const retired = [...this.#retired];
    if (!isDeepStrictEqual(next, this.#written)) await writeManifest(this.#folder, next);
    this.#written = next;
    for (const file of retired) await rm(file, { force: true });
    this.#retired.splice(0, retired.length);
  }
}
