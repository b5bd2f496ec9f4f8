import { mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, StoreDamagedError } from '../errors.ts';
import { syncFolder } from './disk.ts';
import type { Mark } from './mark.ts';
import { firstSegment, segmentFile } from './segment-names.ts';

/**
 * Gives the data folder its first, empty segment unless it has segments already. The folder of segments appears with the
 * file in it, so that one without is never taken for a new store.
 */
export async function begin(folder: string, mark: Mark): Promise<string> {
  const pets = join(folder, 'pets');
  if (!(await exists(pets))) {
    if (mark.next > 1)
      throw new StoreDamagedError(pets, `the folder is missing, with the animals 1 to ${mark.next - 1}`);
    await make(pets);
  }
  // Also when they were there: whoever made them may have been killed before this.
  await syncFolder(folder);
  return pets;
}

async function make(pets: string): Promise<void> {
  const coming = `${pets}.tmp`;
  await mkdir(coming, { recursive: true });
  const handle = await open(join(coming, segmentFile(firstSegment)), 'w');
  await handle.close();
  await syncFolder(coming);
  await rename(coming, pets);
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
