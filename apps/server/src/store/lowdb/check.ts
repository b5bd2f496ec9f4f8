import type { CollectionDeclaration } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import { Catalog } from './catalog.ts';
import { withFolder } from './lowdb.ts';
import { manifestFile, readManifest, segmentsFolder } from './manifest.ts';
import { recover } from './recovery.ts';

/** What a sound data folder holds. */
export interface StoreReport {
  format: number;
  collections: { name: string; documents: number; last: number }[];
  segments: number;
  /** What the records cost, in bytes, and those that are still needed. */
  bytes: number;
  needed: number;
  /** Bytes behind the last commit: a write that nobody was told of. */
  tail: number;
}

/**
 * Reads all that is in a data folder, which no server may use meanwhile, and changes nothing. Rejects with a
 * StoreDamagedError where anything is not what was written.
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
