import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders of the packages that are released together. */
export const released = ['spec', 'packages/types', 'packages/client', 'apps/petctl', 'apps/server'];

/** The file that runs petctl in a checkout. */
export const petctlFile = join(root, 'apps/petctl/src/main.ts');

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
