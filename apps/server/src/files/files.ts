import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { dirname, resolve } from 'node:path';

const { O_CREAT, O_DIRECTORY, O_DSYNC = 0, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_RDWR } = constants;
const isWindows = process.platform === 'win32';

/** Whether O_DSYNC makes each write durable. On other systems it does not flush the disk's cache. */
const hasDurableWrites = process.platform === 'linux';

/** Opens an existing file, never through a symbolic link. `writeDurably` needs the access 'write durably'. */
export function openFile(file: string, access: 'read' | 'write durably' = 'read'): Promise<FileHandle> {
  return open(file, (access === 'read' ? O_RDONLY : O_RDWR | (hasDurableWrites ? O_DSYNC : 0)) | O_NOFOLLOW);
}

/** Creates a new file. If this process runs as root, the file gets the owner of its folder. */
export async function createFile(file: string, mode = 0o666): Promise<FileHandle> {
  const handle = await open(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  return giveToOwnerOfFolder(handle, file);
}

/** All bytes of a file, or undefined without a file. Reads into `buffer` if it is large enough. */
export function readIfExists(file: string, buffer?: ArrayBufferLike): Promise<Buffer | undefined> {
  return readWhole(file, buffer).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

export async function readWhole(file: string, buffer?: ArrayBufferLike): Promise<Buffer> {
  return closing(await openFile(file), async (handle) => {
    // One read for the whole file. `readFile` reads a large file in many parts.
    const { size } = await handle.stat();
    const bytes = buffer && size <= buffer.byteLength ? Buffer.from(buffer, 0, size) : Buffer.allocUnsafeSlow(size);
    return bytes.subarray(0, await readAll(handle, bytes, 0));
  });
}

/** Makes created, renamed and removed files of a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows makes the names of files durable by itself, so nothing is left to sync.
  if (isWindows) return;
  await closing(await open(folder, 'r'), (handle) => handle.sync());
}

/** Creates a folder durably, with its missing parents. Returns false if it exists. */
export async function makeFolder(folder: string): Promise<boolean> {
  const parent = dirname(resolve(folder));
  const created = await makeOneFolder(folder).catch(async (error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makeFolder(parent);
    return makeOneFolder(folder);
  });
  await syncFolder(parent).catch((error: unknown) => {
    // If the folder existed, this user may be unable to read its parent, and leaves the sync to the creator.
    if (created || errorCode(error) !== 'EACCES') throw error;
  });
  return created;
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

/** Whether a folder exists. Throws for a symbolic link or a file. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await lstat(path)).isDirectory()) return true;
    throw Object.assign(new Error('it is not a folder'), { code: 'ENOTDIR', path });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Writes all bytes durably, usually with one system call. On a nearly full disk the system writes them in parts. */
export async function writeDurably(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
  if (!hasDurableWrites) await handle.datasync();
}

/** Reads until the buffer is full or the file ends, and returns the number of bytes. */
export async function readAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<number> {
  for (let done = 0; ; ) {
    const { bytesRead } = await handle.read(bytes, done, bytes.length - done, position + done);
    done += bytesRead;
    if (bytesRead === 0 || done === bytes.length) return done;
  }
}

/** Replaces a file atomically and durably: after a power cut it has the old or the new content. */
export async function replaceFile(file: string, bytes: Uint8Array, mode?: number): Promise<void> {
  const unfinished = `${file}.tmp`;
  await removeFile(unfinished);
  try {
    await closing(await createFile(unfinished, mode), async (handle) => {
      await handle.writeFile(bytes);
      await handle.sync();
    });
    await rename(unfinished, file);
  } catch (error) {
    await removeFile(unfinished);
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Removes a file if it exists. Node's `rm` would block the event loop for a `stat`. */
export async function removeFile(file: string): Promise<void> {
  await unlink(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

/** Runs work with an open file, and closes it. */
export async function closing<T>(handle: FileHandle, work: (handle: FileHandle) => Promise<T>): Promise<T> {
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** Gives a file that root creates to the owner of its folder. */
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

/** The system's code of an error, for example ENOSPC. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What to do about an ELOOP. Links are not followed, because root writes these files, too, and a link may name any file. */
export const LINK_ADVICE = 'Replace the symbolic link with its file; only the data folder itself may be a link';

/** The system's code of an error, else its message. */
export function reasonOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Whether free space would solve the error. After any other failed write the state of the disk is unknown. */
export function isDiskFull(error: unknown): boolean {
  // Node has no code for an exceeded quota (EDQUOT).
  const isOverQuota = error instanceof Error && 'errno' in error && error.errno === -system.errno.EDQUOT;
  return errorCode(error) === 'ENOSPC' || isOverQuota;
}
