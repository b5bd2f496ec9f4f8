import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Something that the drift tool said. */
export interface Found {
  surface: string;
  where: string;
  what: string;
}

export interface Copy {
  readonly folder: string;
  /** Changes files by the texts that `edit` gives for them, `undefined` removes one. They are put back by `restore`. */
  change(file: string, edit: (text: string) => string | undefined): void;
  restore(): void;
  /** Runs the drift tool of the copy. */
  drift(env?: Record<string, string>): Promise<Found[]>;
  generate(): void;
  git(...args: string[]): void;
  remove(): void;
}

/** A copy of the repository that can be spoiled: its own files, and the installed packages of this one. */
export function copyOfRepository(): Copy {
  const copy = mkdtempSync(join(tmpdir(), 'petstore-drift-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
    .toString()
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) {
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  // These hold only links, and relative ones: to the packages of the copy, and to what is installed.
  for (const folder of [
    'spec',
    'packages/types',
    'packages/client',
    'packages/testing',
    'apps/server',
    'apps/petctl',
    'tools',
  ]) {
    const links = join(root, folder, 'node_modules');
    cpSync(links, join(copy, folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (from) => !/node_modules\/\.(vite|cache)/.test(from),
    });
  }

  const before = new Map<string, string | undefined>();
  const read = (file: string) => (existsSync(join(copy, file)) ? readFileSync(join(copy, file), 'utf8') : undefined);
  const write = (file: string, text: string | undefined) => {
    if (text === undefined) return rmSync(join(copy, file), { force: true });
    mkdirSync(join(copy, dirname(file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  };
  const remember = (file: string) => {
    if (!before.has(file)) before.set(file, read(file));
  };
  const gen = [...files.filter((file) => file.endsWith('.gen.ts')), 'docs/petctl.md', 'apps/petctl/package.json'];

  return {
    folder: copy,
    change: (file, edit) => {
      remember(file);
      const text = read(file) ?? '';
      const changed = edit(text);
      if (changed === text) throw new Error(`the edit of ${file} changes nothing`);
      write(file, changed);
    },
    restore: () => {
      for (const [file, text] of before) write(file, text);
      before.clear();
    },
    drift: (env = {}) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, ['drift/main.ts', '--json'], {
          cwd: join(copy, 'tools'),
          env: { ...process.env, ...env },
        });
        let [out, err] = ['', ''];
        child.stdout.on('data', (data) => {
          out += data;
        });
        child.stderr.on('data', (data) => {
          err += data;
        });
        child.on('close', (code) => {
          // A tree that does not even load has failed the build, loudly.
          if (out === '')
            return code === 0 ? reject(new Error(err)) : resolve([{ surface: 'crash', where: '', what: err }]);
          resolve(JSON.parse(out));
        });
      }),
    generate: () => {
      for (const file of gen) remember(file);
      execFileSync(process.execPath, ['generate/main.ts'], { cwd: join(copy, 'tools'), stdio: 'pipe' });
    },
    git: (...args) => {
      execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], {
        cwd: copy,
        stdio: 'pipe',
      });
    },
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
