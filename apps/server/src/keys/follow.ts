import { statSync } from 'node:fs';
import { reasonOf } from '../files/errors.ts';
import { KeysFileError } from './errors.ts';
import { type KeptKey, readKeys } from './file.ts';

const lookEvery = 1000;

export interface Followed {
  /** The keys in the file as it was at most a second ago; the last good ones when it was damaged or taken away since. */
  current(): readonly KeptKey[];
  /** Has the next `current` look at the file, however short ago that was done. */
  lookAgain(): void;
}

/**
 * The keys in a file that others replace. It is looked at when keys are asked for: at most once a second, so it costs a
 * request nothing, and with a plain stat, which works on every file system and leaves nothing to be closed. Refuses a
 * file that is damaged from the start; what goes wrong later is reported, once until it is right again.
 */
export function followKeys(file: string, report: (problem: string) => void): Followed {
  let seen = versionOf(file);
  let keys = readKeys(file) ?? [];
  let existed = seen !== undefined;
  let looked = performance.now();
  let reported = false;

  function look(): void {
    const version = versionOf(file);
    if (version === seen && !reported) return;
    const read = readKeys(file);
    if (!read && existed) throw new KeysFileError(file, 'is gone.');
    keys = read ?? [];
    existed = read !== undefined;
    seen = version;
    reported = false;
  }

  return {
    current: () => {
      const now = performance.now();
      if (now - looked < lookEvery) return keys;
      looked = now;
      try {
        look();
      } catch (error) {
        if (!reported) report(`${error instanceof Error ? error.message : error} The keys read before stay valid.`);
        reported = true;
      }
      return keys;
    },
    lookAgain: () => {
      looked = Number.NEGATIVE_INFINITY;
    },
  };
}

/** What is different as soon as the file is another one, or has changed. */
function versionOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
  } catch (error) {
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
}
