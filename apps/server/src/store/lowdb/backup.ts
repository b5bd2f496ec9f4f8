import { readdir, realpath, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { makeFolder, readIfExists, replaceFile } from '../../files/files.ts';
import { keysFile } from '../../keys/key-file.ts';
import { StoreDamagedError, StoreFolderError } from '../errors.ts';
import { blocksIn, isTorn } from './block.ts';
import { folderError } from './folder-lock.ts';
import {
  type ManifestData,
  manifestFile,
  newManifest,
  readManifest,
  segmentsFolder,
  writeManifest,
} from './manifest.ts';
import { segmentFilesOf } from './recovery.ts';

/**
 * The number of attempts to copy. An attempt fails if a merge removes segments meanwhile; the next attempt uses the new
 * manifest.
 */
const MAX_ATTEMPTS = 1000;

/**
 * Copies a data folder into a new one, also while a server uses it. The copy is consistent, because segments are append-only
 * or replaced as a whole. It has every change that was acknowledged before the call.
 */
export async function backup(folder: string, to: string): Promise<void> {
  try {
    if (!(await makeFolder(to))) throw new StoreFolderError(to, 'it exists', 'Choose a new folder');
    await fill(folder, to);
  } catch (error) {
    throw folderError(to, error);
  }
}

/** Fills a new folder with the copy. Removes the folder if that fails, so that the backup can be repeated. */
async function fill(folder: string, to: string): Promise<void> {
  try {
    const [source, target] = await Promise.all([realpath(folder), realpath(to)]);
    if (target.startsWith(join(source, sep)))
      throw new StoreFolderError(to, 'it is in the data folder', 'Choose a folder outside it');
    await makeFolder(segmentsFolder(to));
    await writeManifest(to, newManifest(await copyFiles(folder, to)));
  } catch (error) {
    // The first error is reported. If the folder cannot be removed, the next backup to it says that it exists.
    await rm(to, { recursive: true }).catch(() => {});
    throw error;
  }
}

/** Copies the segments and the API keys, and returns the manifest. The caller writes it last, so an incomplete copy is not a store. */
async function copyFiles(folder: string, to: string): Promise<ManifestData> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const manifest = await readManifest(folder);
    if (!manifest) throw new StoreDamagedError(manifestFile(folder), 'the file is missing');
    const isComplete = await copySegments(segmentsFolder(folder), segmentsFolder(to), manifest);
    const after = await readManifest(folder);
    // `unsealed` is compared, too: sealing a segment without needed records removes it, and adds no sealed one.
    if (!isComplete || !isDeepStrictEqual([after?.sealed, after?.unsealed], [manifest.sealed, manifest.unsealed]))
      continue;
    const keys = await readIfExists(keysFile(folder));
    if (keys) await replaceFile(keysFile(to), keys, 0o600);
    return manifest;
  }
  throw new StoreFolderError(folder, 'its segments change too fast to be copied', 'Try again later');
}

/** Copies the segments of the manifest and all later segments. False if a segment was removed meanwhile. */
async function copySegments(source: string, target: string, manifest: ManifestData): Promise<boolean> {
  const names = segmentFilesOf(manifest, await readdir(source));
  const existing = await readdir(target);
  for (const name of existing) if (!names.includes(name)) await rm(join(target, name));
  for (const name of names) {
    const isSealed = name.endsWith('.json');
    if (isSealed && existing.includes(name)) continue;
    const bytes = await readIfExists(join(source, name));
    if (!bytes) return false;
    let end = isSealed ? bytes.length : 0;
    // Only complete commits are copied, without the commit that is being written.
    if (!isSealed) for (const block of blocksIn(bytes, 'jsonl')) end = block.end;
    if (!isTorn(bytes.subarray(end))) throw new StoreDamagedError(join(source, name), `it is damaged at byte ${end}`);
    await replaceFile(join(target, name), bytes.subarray(0, end));
  }
  return true;
}
