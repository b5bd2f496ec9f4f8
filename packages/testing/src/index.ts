import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export { childrenOf, freePort, missingProgram, missingShell, skips, trySignal, unprivilegedUser } from './machine.ts';

/** Whether this is `npm run test:deep`, which runs every suite at full length. */
export const isDeep = process.env.PETSTORE_TEST_DEEP === '1';

/** The first value in the quick run, the second in the deep run: how often a test repeats what only adds confidence. */
export function rounds<T = number>(quick: T, deep: T): T {
  return isDeep ? deep : quick;
}

/** Creates a folder that is removed when the running test ends. `onEnd` registers the removal elsewhere, for example `afterAll`. */
export function newFolder(name = 'test', onEnd: (remove: () => void) => void = onTestFinished): string {
  const { folder, remove } = makeFolder(name);
  onEnd(remove);
  return folder;
}

/** Creates a folder that outlives a test. Call `remove` to remove it. */
export function makeFolder(name: string): { folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}
