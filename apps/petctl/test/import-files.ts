import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { scratch } from './petctl.ts';

/** A new folder before each test, for the files of an import. */
export function useImportFiles() {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(scratch, 'import-'));
  });
  const path = (name: string) => join(folder, name);
  return {
    path,
    get failedFile() {
      return path('failed');
    },
    write: (name: string, content: string | Buffer) => {
      writeFileSync(path(name), content);
      return path(name);
    },
    failedRecords: () => readFileSync(path('failed'), 'utf8'),
  };
}

/** The line number and the outcome of each result. */
export function outcomes(stdout: string): string[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => line.split('\t').slice(0, 2).join(' '));
}
