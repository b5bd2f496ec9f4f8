import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Where the program under test is: built anew for every run, beside what the package itself ships. */
export const built = join(import.meta.dirname, '../node_modules/.petctl-test');

export function setup(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../build/main.ts'), built], { stdio: 'inherit' });
}
