import { statSync } from 'node:fs';
import { reasonOf } from '../files/files.ts';
import { KeysFileError, readKeys, type StoredKey } from './key-file.ts';

const CHECK_MS = 1000;

export interface Followed {
  /** The keys in the file, at most a second old; the last valid ones if the file was damaged or removed. */
  current(): readonly StoredKey[];
  /** Makes the next `current` check the file. */
  refresh(): void;
}

/**
 * Follows the keys in a file that other processes replace. Checks it on demand, at most once a second, with `stat`: that
 * works on every file system and needs no handle. Throws if the file is damaged at first; later damage is reported once.
 */
export function followKeys(file: string, report: (problem: string) => void): Followed {
  let version = versionOf(file);
  let keys = readKeys(file) ?? [];
  let existed = version !== undefined;
  let checkedAt = performance.now();
  let reported = false;

  function check(): void {
    const current = versionOf(file);
    if (current === version && !reported) return;
    const read = readKeys(file);
    if (!read && existed) throw new KeysFileError(file, 'was removed.');
    keys = read ?? [];
    existed = read !== undefined;
    version = current;
    reported = false;
  }

  return {
    current: () => {
      const now = performance.now();
      if (now - checkedAt < CHECK_MS) return keys;
      checkedAt = now;
      try {
        check();
      } catch (error) {
        if (!reported) report(`${error instanceof Error ? error.message : error} The previous keys stay valid.`);
        reported = true;
      }
      return keys;
    },
    refresh: () => {
      checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** A text that differs for every version of the file. */
function versionOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
  } catch (error) {
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
}
