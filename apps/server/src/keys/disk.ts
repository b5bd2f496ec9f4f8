import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Puts a file that only its owner can read in its place whole: whenever this process ends or power is cut, the place
 * holds what was there before or all of this.
 */
export function replaceFile(file: string, text: string): void {
  const unfinished = `${file}.tmp`;
  rmSync(unfinished, { force: true });
  writeFileSync(unfinished, text, { mode: 0o600, flag: 'wx', flush: true });
  giveToOwnerOfFolder(unfinished);
  renameSync(unfinished, file);
  syncFolder(dirname(file));
}

export function keepFolder(folder: string): void {
  const made = mkdirSync(folder, { recursive: true });
  if (made) syncFolder(dirname(resolve(made)));
}

/** What root makes in somebody's folder, for a server that does not run as root, that server has to be able to open. */
export function giveToOwnerOfFolder(file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  if (statSync(file).uid !== uid) chownSync(file, uid, gid);
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder, and keeps its names without being asked.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
