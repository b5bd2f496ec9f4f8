import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../files/errors.ts';
import {
  closing,
  createFile,
  makeFolder,
  readIfExists,
  readWhole,
  replaceFile,
  syncFolder,
  writeAll,
} from '../../files/files.ts';
import { StoreDamagedError, StoreFolderError } from '../errors.ts';
import { segmentsFolder } from './begin.ts';
import { readCommits } from './commit-line.ts';
import { type ManifestData, manifestFile, manifestText, newStoreId, readManifest } from './manifest.ts';
import { segmentFile, segmentName } from './segment-names.ts';

/** Merging removes segments while they are copied; then those of the new manifest are copied, this often at most. */
const MAX_ATTEMPTS = 1000;

/**
 * Copies a data folder into a new one, whether or not a server uses it. The copy holds every change that was acknowledged
 * before this was called, and is a state that the store was in: segments are only ever added to, or replaced as a whole.
 */
export async function backup(folder: string, to: string): Promise<void> {
  await makeFolder(join(to, '..'));
  await mkdir(to).catch((error: unknown) => {
    throw new StoreFolderError(to, error);
  });
  const target = segmentsFolder(to);
  await makeFolder(target);
  for (let attempt = 1; ; attempt++) {
    const manifest = await readManifest(folder);
    if (!manifest)
      throw new StoreDamagedError(manifestFile(folder), 'the file is missing; start the server once on this folder');
    const isComplete = await copySegments(folder, target, manifest);
    const isSame = String((await readManifest(folder))?.sealed) === String(manifest.sealed);
    if (!isComplete || !isSame) {
      if (attempt === MAX_ATTEMPTS)
        throw new StoreFolderError(folder, new Error('its segments change too fast to be copied'));
      continue;
    }
    const keys = await readIfExists(join(folder, 'keys.json'));
    if (keys) await replaceFile(join(to, 'keys.json'), keys, 0o600);
    await syncFolder(target);
    // Last, because a folder without it is not taken for a store.
    await replaceFile(manifestFile(to), Buffer.from(manifestText({ ...manifest, id: newStoreId() })));
    return;
  }
}

/** Copies what the manifest names, and the commits behind that; false where a file went away meanwhile. */
async function copySegments(folder: string, target: string, { sealed }: ManifestData): Promise<boolean> {
  const source = segmentsFolder(folder);
  const unsealed = (await readdir(source)).filter((file) => segmentName(file)?.sealed === false).sort();
  const wanted = [...sealed.map((number) => segmentFile(number, true)), ...unsealed];
  const there = await readdir(target);
  for (const file of there) if (!wanted.includes(file)) await rm(join(target, file));
  for (const file of wanted) {
    const isSealed = !unsealed.includes(file);
    if (isSealed && there.includes(file)) continue;
    try {
      const bytes = await readWhole(join(source, file));
      await rm(join(target, file), { force: true });
      await closing(await createFile(join(target, file)), async (handle) => {
        await writeAll(handle, isSealed ? bytes : committed(join(source, file), bytes), 0);
        await handle.sync();
      });
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
  return true;
}

/** The file without the commit that is being written. */
function committed(file: string, bytes: Buffer): Buffer {
  const commits = readCommits(bytes);
  if (typeof commits === 'string') throw new StoreDamagedError(file, commits);
  return bytes.subarray(0, commits.end);
}
