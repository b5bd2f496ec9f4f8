import { join } from 'node:path';
import type { CollectionDeclaration } from '../declaration.ts';
import { decodeText } from '../document.ts';
import { StoreDamagedError } from '../errors.ts';
import { segmentsFolder } from './begin.ts';
import { Catalog } from './catalog.ts';
import type { Location } from './key-directory.ts';
import { withFolder } from './lowdb.ts';
import { manifestFile, readManifest } from './manifest.ts';
import { Reader } from './reader.ts';
import { recover } from './recovery.ts';
import { segmentFile } from './segment-names.ts';

/** What a sound data folder holds. */
export interface StoreReport {
  format: number;
  collections: { name: string; documents: number; last: number }[];
  segments: number;
  /** Bytes of records, and the part of them that is still needed. */
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
    const catalog = new Catalog(declared);
    const { tail } = await recover(segmentsFolder(folder), manifest, catalog);
    for (const collection of declared) await checkDocuments(folder, catalog, collection);
    const segments = [...catalog.segments.values()];
    unlock();
    return {
      format: manifest.format,
      collections: catalog.collections.map((name) => ({
        name,
        documents: catalog.directory(name).count,
        last: catalog.last[name] ?? 0,
      })),
      segments: segments.length,
      bytes: segments.reduce((sum, { size }) => sum + size, 0),
      needed: segments.reduce((sum, { live }) => sum + live, 0),
      tail,
    };
  });
}

/** Holds each document against what the key directory has of it. */
async function checkDocuments(folder: string, catalog: Catalog, { name, id: idProperty }: CollectionDeclaration) {
  const directory = catalog.directory(name);
  const reader = new Reader(segmentsFolder(folder), catalog.segments);
  for (let after = 0; ; ) {
    const places: Location[] = [];
    directory.scan(after, undefined, (place) => places.push(place) < 1000);
    for (const { id, segment, start, length } of places) {
      const [text = ''] = await reader.texts([{ segment, start, end: start + length }]);
      const document = Buffer.from(text, 'latin1');
      if (!isDocument(document, id) || directory.tagTexts[directory.tagOf(id)] !== catalog.tagTextOf(name, document)) {
        const file = join(
          segmentsFolder(folder),
          segmentFile(segment, catalog.segments.get(segment)?.bytes === undefined),
        );
        throw new StoreDamagedError(file, `the document ${id} of '${name}' is not what its entry says`);
      }
    }
    after = places.at(-1)?.id ?? 0;
    if (places.length === 0) return;
  }

  function isDocument(bytes: Buffer, id: number): boolean {
    try {
      return decodeText(bytes.toString())[idProperty] === id;
    } catch {
      return false;
    }
  }
}
