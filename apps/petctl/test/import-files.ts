import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from './petctl.ts';

/** A folder for what a test imports, and for what it is to give again. */
export function importFolder() {
  const folder = mkdtempSync(join(scratch, 'import-'));
  const failed = join(folder, 'again');
  return {
    folder,
    failed,
    written: (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    again: () => readFileSync(failed, 'utf8'),
  };
}

/** Number and outcome of every line. */
export function outcomes(stdout: string): string[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => line.split('\t').slice(0, 2).join(' '));
}
