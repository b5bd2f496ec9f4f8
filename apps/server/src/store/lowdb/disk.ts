import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../errors.ts';

/** Makes names that were added to, changed in or removed from this folder survive a cut of power. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and keeps its names without being asked.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder, with those above it that are missing, and has it survive a cut of power. */
export async function keepFolder(folder: string): Promise<void> {
  const above = dirname(resolve(folder));
  const made = await makeFolder(folder).catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    await keepFolder(above);
    return makeFolder(folder);
  });
  await syncFolder(above).catch((error: unknown) => {
    // One that is there already may stand where this process must not read; who made it looked after it.
    if (made || errorCode(error) !== 'EACCES') throw error;
  });
}

async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Writes all of it, also where the system takes it in parts, as it does just before a disk is full. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** Puts a file in its place whole: whenever power is cut, the place holds what was there before or all of this. */
export async function replaceFile(file: string, parts: readonly Uint8Array[]): Promise<void> {
  const unfinished = `${file}.tmp`;
  try {
    const handle = await open(unfinished, 'w');
    try {
      let position = 0;
      for (const part of parts) {
        await writeAll(handle, part, position);
        position += part.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
