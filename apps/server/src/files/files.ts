import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from './errors.ts';

const { O_CREAT, O_DIRECTORY, O_DSYNC = 0, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_RDWR } = constants;
const isWindows = process.platform === 'win32';

/** Whether a file can be opened so that each write is on disk when it returns. Elsewhere that would leave out the disk's own cache. */
const hasDurableWrites = process.platform === 'linux';

/**
 * Opens a file that exists. A symbolic link is never followed: whoever made it could choose another user's file. To be
 * written with `writeDurably`, it has to be opened for that.
 */
export function openFile(file: string, access: 'read' | 'write durably' = 'read'): Promise<FileHandle> {
  return open(file, (access === 'read' ? O_RDONLY : O_RDWR | (hasDurableWrites ? O_DSYNC : 0)) | O_NOFOLLOW);
}

/** Makes a file that did not exist, and gives it to the owner of its folder. */
export async function createFile(file: string, mode = 0o666): Promise<FileHandle> {
  const handle = await open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  return giveToOwnerOfFolder(handle, file);
}

/** All bytes of a file; `undefined` if there is none. They are read into `spare` where they fit in there. */
export async function readIfExists(file: string, spare?: ArrayBufferLike): Promise<Buffer | undefined> {
  try {
    return await readWhole(file, spare);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function readWhole(file: string, spare?: ArrayBufferLike): Promise<Buffer> {
  return closing(await openFile(file), async (handle) => {
    // At once: `readFile` takes a large file in many parts.
    const { size } = await handle.stat();
    const bytes = spare && size <= spare.byteLength ? Buffer.from(spare, 0, size) : Buffer.allocUnsafeSlow(size);
    return bytes.subarray(0, await readAll(handle, bytes, 0));
  });
}

/** Makes names that were added to, changed in or removed from this folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and does not need it: it writes names by itself.
  if (isWindows) return;
  await closing(await open(folder, 'r'), (handle) => handle.sync());
}

/** Makes a folder, with its missing parents, and has it survive a power cut. */
export async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(resolve(folder));
  const made = await makeOneFolder(folder).catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makeFolder(parent);
    return makeOneFolder(folder);
  });
  await syncFolder(parent).catch((error: unknown) => {
    // An existing folder may stand where this process must not read; whoever made it has synced it.
    if (made || errorCode(error) !== 'EACCES') throw error;
  });
}

async function makeOneFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  if (process.getuid?.() === 0) {
    const handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    await closing(handle, () => giveToOwnerOfFolder(handle, resolve(folder)));
  }
  return true;
}

/** Whether there is a folder of this name, which must not be a symbolic link or a file. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return true;
    throw Object.assign(new Error('it is not a folder'), { code: 'ENOTDIR', path });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Writes all bytes, also where the system takes them in parts, as it does just before a disk is full. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
}

/** Writes all bytes, and resolves when the disk has them: one call of the system for most. */
export async function writeDurably(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  await writeAll(handle, bytes, position);
  if (!hasDurableWrites) await handle.datasync();
}

/** Reads until the buffer is full or the file ends, and returns how many bytes that are. */
export async function readAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<number> {
  for (let done = 0; ; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, position + done);
    done += bytesRead;
    if (bytesRead === 0 || done === bytes.length) return done;
  }
}

/** Replaces a file as a whole: whenever power is cut, the name leads to what was there before or to all of this. */
export async function replaceFile(file: string, bytes: Uint8Array, mode?: number): Promise<void> {
  const unfinished = `${file}.tmp`;
  await removeFile(unfinished);
  try {
    await closing(await createFile(unfinished, mode), async (handle) => {
      await writeAll(handle, bytes, 0);
      await handle.sync();
    });
    await rename(unfinished, file);
  } catch (error) {
    await removeFile(unfinished);
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Removes a file, if it is there. Node's `rm` looks at it first, and blocks the event loop for that. */
export async function removeFile(file: string): Promise<void> {
  await unlink(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

/** Does the work with an open file, and closes it. */
export async function closing<T>(handle: FileHandle, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** A file that root makes in the folder of a service's user has to be usable by that user. */
async function giveToOwnerOfFolder(handle: FileHandle, file: string): Promise<FileHandle> {
  if (process.getuid?.() !== 0) return handle;
  try {
    const { uid, gid } = await stat(dirname(file));
    if ((await handle.stat()).uid !== uid) await handle.chown(uid, gid);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}
