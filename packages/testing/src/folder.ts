import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder, which is removed when the running test ends, or by the function passed to `cleanUp`. */
export function newFolder(name = 'test', cleanUp: (remove: () => void) => void = onTestFinished): string {
  const { folder, remove } = makeFolder(name);
  cleanUp(remove);
  return folder;
}

/** A new folder that outlives a test. Call `remove` to remove it. */
export function makeFolder(name: string): { folder: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}
