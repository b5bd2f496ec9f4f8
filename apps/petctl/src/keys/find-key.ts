import { UsageError } from '../errors/errors.ts';
import type { Io } from '../io.ts';

/** The variable that a key may stand in. No flag takes one, because lists of processes show flags. */
export const keyVariable = 'PETCTL_API_KEY';

/** A key, and where it comes from. */
export interface FoundKey {
  readonly key: string;
  readonly from: string;
}

/** The key for an address, if there is one: from the environment, else the one that is kept for this very origin. */
export async function findKey({ env }: Io, baseUrl: string): Promise<FoundKey | undefined> {
  const given = env[keyVariable];
  if (given) return { key: usable(given, keyVariable), from: keyVariable };
  const { keptKey } = await import('./kept-key.ts');
  return keptKey(env, new URL(baseUrl).origin);
}

/** A key that can stand in a header. */
export function usable(key: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new UsageError(`${from} holds what no API key can be: it has to be visible ASCII without spaces.`);
}
