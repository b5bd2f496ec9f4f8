import { statSync } from 'node:fs';
import { reasonOf } from '../files/files.ts';
import { KeysFileError, readKeys } from './key-file.ts';
import type { HashedKey } from './parse-keys.ts';

/** How often the file of the keys is checked for changes. */
const CHECK_MS = 1000;

/**
 * Follows the keys in a file that other processes replace. Checks the file with `stat`, which works on every file system and needs no
 * handle. Throws if the file is damaged at the start. If it is damaged or removed later, reports that once, and keeps the last keys.
 */
export function followKeys(file: string, report: (problem: string) => void) {
  let version = versionOf(file);
  let keys = readKeys(file) ?? [];
  let checkedAt = performance.now();
  let hasReportedDamage = false;

  function reload(): void {
    const newVersion = versionOf(file);
    if (newVersion === version && !hasReportedDamage) return;
    const newKeys = readKeys(file);
    if (!newKeys && version !== undefined) throw new KeysFileError(file, 'was removed.');
    keys = newKeys ?? [];
    version = newVersion;
    hasReportedDamage = false;
  }

  /** Reloads the keys if the file has changed. */
  function refresh(): void {
    checkedAt = performance.now();
    try {
      reload();
    } catch (error) {
      if (!hasReportedDamage) report(`${reasonOf(error)} The previous keys stay valid.`);
      hasReportedDamage = true;
    }
  }

  /** The keys in the file, as of at most CHECK_MS ago. */
  function current(): readonly HashedKey[] {
    if (performance.now() - checkedAt >= CHECK_MS) refresh();
    return keys;
  }

  return { current, refresh };
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
