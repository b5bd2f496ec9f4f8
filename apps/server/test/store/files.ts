import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every file below, by its path, with its bytes; without SQLite's lock file, which is empty. */
export function filesIn(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path).isFile() && relative(folder, path) !== 'lock').sort();
  return new Map(files.map((path) => [relative(folder, path), readFileSync(path)]));
}
