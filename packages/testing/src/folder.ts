import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder, which is removed when the running test ends, or when the function given to `cleanUp` is called. */
export function newFolder(name = 'test', cleanUp: (remove: () => void) => void = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  cleanUp(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
