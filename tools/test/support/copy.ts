import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { released, root } from '../../repository.ts';

/** A copy of the repository for tests that change files, run its programs, or release it. */
export interface Copy {
  readonly folder: string;
  /** Replaces the text of a file; a file that is not there yet has an empty one. */
  change(file: string, edit: (text: string) => string): void;
  generate(): void;
  git(...args: string[]): void;
  remove(): void;
}

/** Every file of the repository that git does not ignore. */
export function repositoryFiles(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  return files.filter((file) => file !== '' && existsSync(join(root, file)));
}

/** Copies the files that git knows, and links the installed packages. */
export function copyOfRepository(): Copy {
  const { folder: copy, remove } = makeFolder('copy');
  for (const file of repositoryFiles()) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  // These folders have only links, and relative ones: to the packages of the copy, and to what is installed.
  for (const folder of [...released, 'packages/testing', 'tools']) {
    const links = join(root, folder, 'node_modules');
    if (!existsSync(links)) continue;
    cpSync(links, join(copy, folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !/node_modules\/\.(vite|cache)/.test(from),
    });
  }
  const tools = join(copy, 'tools');

  return {
    folder: copy,
    change: (file, edit) => {
      const path = join(copy, file);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const changed = edit(text);
      if (changed === text) throw new Error(`the edit of ${file} changes nothing`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, changed);
    },
    generate: () => {
      execFileSync(process.execPath, ['generate/main.ts'], { cwd: tools, stdio: 'pipe' });
    },
    git: (...args) => {
      const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
      execFileSync('git', [...identity, ...args], { cwd: copy, stdio: 'pipe' });
    },
    remove,
  };
}
