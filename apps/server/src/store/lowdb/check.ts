import type { CollectionDeclaration } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import { Catalog } from './catalog.ts';
import { withFolder } from './lowdb.ts';
import { manifestFile, readManifest, segmentsFolder } from './manifest.ts';
import { recover } from './recovery.ts';

/** The contents of an undamaged data folder. */
export interface StoreReport {
  format: number;
  collections: { name: string; documents: number; last: number }[];
  segments: number;
  /** The cost of all records in bytes. */
  bytes: number;
  /** The cost of the records that are neither replaced nor removed. */
  needed: number;
  /** The bytes after the last commit: an unacknowledged write. */
  tail: number;
}

/**
 * Verifies a data folder without changing it. Rejects with a StoreDamagedError if anything is damaged, and with a
 * StoreLockedError if a server uses the folder.
 */
export function checkStore(folder: string, declared: readonly CollectionDeclaration[]): Promise<StoreReport> {
  return withFolder(folder, async (unlock) => {
    const manifest = await readManifest(folder);
    if (!manifest) throw new StoreDamagedError(manifestFile(folder), 'the file is missing');
    const catalog = new Catalog(segmentsFolder(folder), declared);
    const { tail } = await recover(manifest, catalog, true);
    const segments = [...catalog.segments.values()];
    unlock();
    return {
      format: manifest.format,
      collections: Object.entries(catalog.last).map(([name, last]) => ({
        name,
        documents: catalog.directory(name).count,
        last,
      })),
      segments: segments.length,
      bytes: segments.reduce((sum, { size }) => sum + size, 0),
      needed: segments.reduce((sum, { live }) => sum + live, 0),
      tail: tail.length,
    };
  });
}
