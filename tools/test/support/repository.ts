import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The text of a file of the repository. */
export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Every file of the repository that git does not ignore. */
export function repositoryFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  return files.filter((file) => file !== '' && existsSync(join(root, file)));
}
