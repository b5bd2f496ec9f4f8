import { statSync } from 'node:fs';
import { reasonOf } from '../files/files.ts';
import { KeysFileError, readKeys, type StoredKey } from './key-file.ts';

const CHECK_MS = 1000;

interface FollowedKeys {
  /** The keys in the file, as of at most a second ago. If the file is damaged or removed, they are the last valid keys. */
  current(): readonly StoredKey[];
  /** Reloads the keys if the file has changed. */
  refresh(): void;
}

/**
 * Follows the keys in a file that other processes replace. `current` checks the file with `stat` at most once a second, because `stat`
 * works on every file system and needs no handle. Throws if the file is damaged at the start. Reports later damage once, until the
 * file is valid again.
 */
export function followKeys(file: string, report: (problem: string) => void): FollowedKeys {
  let version = versionOf(file);
  let keys = readKeys(file) ?? [];
  let checkedAt = performance.now();
  let hasReportedDamage = false;

  function reload(): void {
    const foundVersion = versionOf(file);
    if (foundVersion === version && !hasReportedDamage) return;
    const foundKeys = readKeys(file);
    if (!foundKeys && version !== undefined) throw new KeysFileError(file, 'was removed.');
    keys = foundKeys ?? [];
    version = foundVersion;
    hasReportedDamage = false;
  }

  function refresh(): void {
    checkedAt = performance.now();
    try {
      reload();
    } catch (error) {
      if (!hasReportedDamage) report(`${reasonOf(error)} The previous keys stay valid.`);
      hasReportedDamage = true;
    }
  }

  return {
    current: () => {
      if (performance.now() - checkedAt >= CHECK_MS) refresh();
      return keys;
    },
    refresh,
  };
}

/** A text that changes with the file; undefined without a file. */
function versionOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
  } catch (error) {
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
}
