import { statSync } from 'node:fs';
import { reasonOf } from '../files/files.ts';
import { KeysFileError, readKeys, type StoredKey } from './key-file.ts';

const CHECK_MS = 1000;

export interface Followed {
  /** The keys in the file, as of at most a second ago. If the file is damaged or removed, they are the last valid keys. */
  current(): readonly StoredKey[];
  /** Makes the next call of `current` check the file. */
  refresh(): void;
}

/**
 * Follows the keys in a file that other processes replace. Each call of `current` checks the file with `stat`, at most once a second:
 * `stat` works on every file system and needs no handle. Throws if the file is damaged at the start. Later damage is reported once,
 * until the file is valid again.
 */
export function followKeys(file: string, report: (problem: string) => void): Followed {
  let version = versionOf(file);
  let keys = readKeys(file) ?? [];
  let existed = version !== undefined;
  let checkedAt = performance.now();
  let hasReportedDamage = false;

  function check(): void {
    const foundVersion = versionOf(file);
    if (foundVersion === version && !hasReportedDamage) return;
    const foundKeys = readKeys(file);
    if (!foundKeys && existed) throw new KeysFileError(file, 'was removed.');
    keys = foundKeys ?? [];
    existed = foundKeys !== undefined;
    version = foundVersion;
    hasReportedDamage = false;
  }

  return {
    current: () => {
      const now = performance.now();
      if (now - checkedAt < CHECK_MS) return keys;
      checkedAt = now;
      try {
        check();
      } catch (error) {
        if (!hasReportedDamage)
          report(`${error instanceof Error ? error.message : error} The previous keys stay valid.`);
        hasReportedDamage = true;
      }
      return keys;
    },
    refresh: () => {
      checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** A text that differs for every version of the file; undefined if there is no file. */
function versionOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
  } catch (error) {
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
}
