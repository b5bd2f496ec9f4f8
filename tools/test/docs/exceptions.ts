import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Block, root, textOf } from './pages.ts';

/** The commands that pages may have run here, as they begin: with nothing but the network of this machine, in a folder of their own. */
export const runnable =
  /^(\w+=\S+ )*(export|printf|curl|(npx )?petctl|npx petstore-server keys|node [\w-]+\.mjs|\.\/[\w-]+\.sh)( |$)/;

/** Commands that cannot be run here, why not, and what is checked or run instead. */
export interface Exception {
  readonly commands: RegExp;
  readonly reason: string;
  check?(command: string): void;
  readonly instead?: string;
}

const manifest = (folder: string) => JSON.parse(textOf(join(folder, 'package.json')));
const exists = (file: string) => expect(existsSync(join(root, file)), `there is ${file}`).toBe(true);
const isScript = (command: string) => {
  const [, script = ''] = /npm (?:run )?(?:-s )?([\w:-]+)/.exec(command) ?? [];
  expect(Object.keys(manifest('.').scripts)).toContain(script);
};
const isInstalled = (command: string) => exists(`node_modules/.bin/${/npx ([\w-]+)/.exec(command)?.[1]}`);

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('\n!!! SKIPPED: what the pages show of curl is not run: this machine has none.\n');

export const exceptions: readonly Exception[] = [
  ...(hasCurl ? [] : [{ commands: /^curl /, reason: 'this machine has no curl' }]),
  {
    commands: /^(PORT=\d+ )?npm start\b/,
    reason: 'it installs, and serves until it is told to stop; every page has a server that was started as it does',
    check: () => expect(manifest('.').scripts.start).toBe('node apps/server/src/main.ts'),
  },
  {
    commands: /^npm (test|run [\w:-]+)\b/,
    reason: 'it works on the whole repository, and npm test runs this test',
    check: isScript,
  },
  {
    commands: /^npm install /,
    reason: 'it needs a registry; tools/test/packaging installs the packages as they are published',
    check: (command) => {
      const folders = {
        '@petstore/spec': 'spec',
        '@petstore/types': 'packages/types',
        '@petstore/client': 'packages/client',
        petctl: 'apps/petctl',
      };
      const named = command.split(/\s+/).filter((word) => word in folders);
      expect(named).not.toEqual([]);
      for (const name of named as (keyof typeof folders)[]) {
        expect(manifest(folders[name])).toMatchObject({ name, publishConfig: { access: 'public' } });
      }
    },
  },
  {
    commands: /^petctl auth login(?! --with-key)/,
    reason: 'it asks on a terminal; apps/petctl/test/terminal.test.ts answers it there',
    instead: 'petctl auth login --with-key < key.txt',
  },
  { commands: /^petctl docs --open/, reason: 'it opens a browser', instead: 'petctl docs' },
  {
    commands: /^petctl config set base-url https:/,
    reason: 'whoever runs it has an address to put there',
    instead: 'petctl config set base-url https://pets.example.com/v1 --profile work',
  },
  { commands: /^petctl [^#]*\[flags\]$/, reason: 'it is the form of a command, not one' },
  {
    commands: /^(npx petstore-server export \| )?DATABASE_URL=/,
    reason: 'it needs a PostgreSQL; apps/server/test/postgres has one',
    check: isInstalled,
  },
  { commands: /^npx (changeset|turbo|pnpm)\b/, reason: 'it changes or checks the repository', check: isInstalled },
];

const foldersExist = ({ text }: Block) => {
  for (const [folder] of text.matchAll(/\b(apps|packages|spec|tools|examples)\/[\w./-]+\w/g)) exists(folder);
};

/** Blocks that are no code at all. */
export const pictures: readonly { page: string; reason: string; check?(block: Block): void }[] = [
  { page: 'README.md', reason: 'a picture of the packages', check: foldersExist },
  { page: 'docs/architecture.md', reason: 'a picture of the packages', check: foldersExist },
  { page: 'docs/adding-an-operation.md', reason: 'what the compiler says, compared by adding-an-operation.test.ts' },
  { page: 'docs/petctl.md', reason: 'topics of petctl help, compared by apps/petctl/test/docs.test.ts' },
  { page: 'docs/performance.md', reason: 'what a run of the bench printed' },
];
