import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readIfExists, replaceFile } from '../../files/files.ts';
import { StoreDamagedError } from '../errors.ts';

const FORMAT = 2;
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
  /** Every change up to this sequence number is in a sealed segment, or superseded. */
  sealedThrough: number;
}

export const newStoreId = () => randomUUID().slice(0, 8);

export function emptyManifest(): ManifestData {
  return { format: FORMAT, id: newStoreId(), sequence: 0, last: {}, sealed: [], sealedThrough: 0 };
}

/**
 * `store.json` beside the segments: which of them count, and how far the store has come. A file of commits that was cut
 * off between two lines looks like a store that never had more; the high-water mark tells. It follows the commits within
 * a second, so the changes of the last second before a crash are all that a cut could hide.
 */
export class Manifest {
  readonly file: string;
  readonly #current: () => Pick<ManifestData, 'sequence' | 'last'>;
  readonly #onWarning: (line: string) => void;
  data: ManifestData;
  #writing: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #failed = false;

  /** `current` says how far the store has come, whenever the manifest is written. */
  constructor(
    folder: string,
    data: ManifestData,
    current: () => Pick<ManifestData, 'sequence' | 'last'>,
    onWarning: (line: string) => void,
  ) {
    this.file = manifestFile(folder);
    this.data = data;
    this.#current = current;
    this.#onWarning = onWarning;
  }

  /** Has the high-water mark written soon. A failure is reported once, and tried again until it succeeds. */
  follow(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.update({}).then(
        () => {
          this.#failed = false;
        },
        (error: unknown) => {
          if (!this.#failed) this.#onWarning(`${this.file}: the high-water mark cannot be written (${error}).`);
          this.#failed = true;
          this.follow();
        },
      );
    }, MAX_BEHIND_MS).unref();
  }

  /** Writes the manifest with these changes. It stays as it was if that fails. */
  update(changes: Partial<ManifestData>): Promise<void> {
    const write = async () => {
      const next = { ...this.data, ...structuredClone(this.#current()), ...changes };
      if (manifestText(next) === manifestText(this.data)) return;
      await replaceFile(this.file, Buffer.from(manifestText(next)));
      this.data = next;
    };
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => {});
    return written;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.update({}).catch((error: unknown) =>
      this.#onWarning(`${this.file}: the high-water mark cannot be written (${error}).`),
    );
    clearTimeout(this.#timer);
  }
}

export const manifestFile = (folder: string) => join(folder, 'store.json');

/** The manifest of a folder, if there is one. */
export async function readManifest(folder: string): Promise<ManifestData | undefined> {
  const file = manifestFile(folder);
  const text = (await readIfExists(file))?.toString();
  if (text === undefined) return undefined;
  const data = parse(text);
  if (data && data.format > FORMAT)
    throw new StoreDamagedError(
      file,
      `the folder has format ${data.format}, and this version knows formats 1 to ${FORMAT}`,
    );
  if (!data || manifestText(data) !== text) throw new StoreDamagedError(file, 'this is not what was written there');
  return data;
}

function parse(text: string): ManifestData | undefined {
  try {
    const { crc32: _, ...data } = JSON.parse(text);
    return typeof data.format === 'number' ? data : undefined;
  } catch {
    return undefined;
  }
}

export function manifestText(data: ManifestData): string {
  const text = JSON.stringify(data).slice(1);
  return `{"crc32":${crc32(text)},${text}\n`;
}
