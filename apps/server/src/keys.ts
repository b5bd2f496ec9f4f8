import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Answers whether a key is one of those known. Keys are held as hashes only, and compared in constant time. */
export type KeyCheck = (key: string) => boolean;

const hash = (key: string) => createHash('sha256').update(key).digest();

/** A check against the hashes of keys. */
export function keyCheck(hashes: readonly Buffer[]): KeyCheck {
  return (key) => {
    const given = hash(key);
    return hashes.map((known) => timingSafeEqual(known, given)).includes(true);
  };
}

/** The hashes of keys given in the clear: separated by commas, each `key` or `name=key`. */
export function givenKeys(list: string): Buffer[] {
  return list
    .split(',')
    .map((entry) => entry.slice(entry.indexOf('=') + 1).trim())
    .filter((key) => key !== '')
    .map(hash);
}

/** The hashes kept in a data folder. Where there are none yet, a key is made; it is told here once and never again. */
export function keptKeys(folder: string): { hashes: Buffer[]; made?: string } {
  const path = join(folder, 'keys.json');
  try {
    const { keys } = JSON.parse(readFileSync(path, 'utf8'));
    return { hashes: keys.map(({ sha256 }: { sha256: string }) => Buffer.from(sha256, 'hex')) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = `pk_${randomBytes(24).toString('base64url')}`;
  const keys = [{ name: 'first', sha256: hash(made).toString('hex') }];
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  return { hashes: keys.map(() => hash(made)), made };
}
