import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of its own for the running test, or until `whenDone` calls what it is given. */
export function newFolder(whenDone: (clean: () => void) => void = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'petstore-store-')));
  whenDone(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file below, by its path, with its bytes. SQLite's own empty file is left out: it holds nothing. */
export function filesIn(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path).isFile() && relative(folder, path) !== 'lock').sort();
  return new Map(files.map((path) => [relative(folder, path), readFileSync(path)]));
}
