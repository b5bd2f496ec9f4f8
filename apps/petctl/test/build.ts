import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** The folder of the program under test. Each run builds it anew, and has its own temporary folder. */
export const built = () =>
  join(import.meta.dirname, '../node_modules/.petctl-test', basename(tmpdir()));

export function setup(): () => void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../build.ts'), built()], {
    stdio: 'inherit',
  });
  return () => rmSync(built(), { recursive: true });
}
