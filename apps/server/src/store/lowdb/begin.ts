import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../files/errors.ts';
import { createFile, isFolder, makeFolder, readWhole, replaceFile, syncFolder } from '../../files/files.ts';
import type { CollectionDeclaration } from '../declaration.ts';
import { StoreDamagedError } from '../errors.ts';
import { carryOver, hasFormat1, retireFormat1 } from './format-1.ts';
import { emptyManifest, type ManifestData, manifestFile, manifestText, readManifest } from './manifest.ts';
import { segmentFile } from './segment-names.ts';

export const segmentsFolder = (folder: string) => join(folder, 'segments');

/**
 * The manifest of a data folder. A new folder gets its first, empty segment, and one of the first format is carried over;
 * the manifest comes last, so after a crash all of that is done again.
 */
export async function begin(
  folder: string,
  collections: readonly CollectionDeclaration[],
  onWarning: (line: string) => void,
): Promise<ManifestData> {
  const known = await readManifest(folder);
  if (known) {
    if (await hasFormat1(folder)) await retireFormat1(folder, onWarning);
    return known;
  }
  const segments = segmentsFolder(folder);
  const isOld = await hasFormat1(folder);
  if (!isOld) await refuseForeign(folder, segments);
  const manifest = isOld ? await carryOver(folder, segments, { collections, onWarning }) : emptyManifest();
  if (!isOld) await makeFolder(segments);
  await createEmpty(join(segments, segmentFile(manifest.sealed.length + 1, false)));
  await syncFolder(segments);
  await syncFolder(folder);
  await replaceFile(manifestFile(folder), Buffer.from(manifestText(manifest)));
  if (isOld) await retireFormat1(folder, onWarning);
  return manifest;
}

async function createEmpty(file: string): Promise<void> {
  const handle = await createFile(file).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await handle?.close();
}

/** Without a manifest there may be no more than what a crash of `begin` leaves: an empty segment. */
async function refuseForeign(folder: string, segments: string): Promise<void> {
  if (!(await isFolder(segments))) return;
  for (const file of await readdir(segments)) {
    if ((await readWhole(join(segments, file))).length > 0)
      throw new StoreDamagedError(manifestFile(folder), 'the file is missing, though there are segments');
  }
}
