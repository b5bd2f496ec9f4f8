import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { expect } from 'vitest';
import { released, root, textOf } from '../../repository.ts';
import type { Block } from './pages.ts';

/** The commands of pages that are run: they need only the fixture's folder and the network of this machine. */
export const runnable =
  /^(\w+=\S+ )*(export|printf|curl|(npx )?petctl|node_modules\/\.bin\/petstore-server keys|node [\w-]+\.mjs|\.\/[\w-]+\.sh)( |$)/;

/** Commands that are not run, the reason, and what is checked or run instead. */
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
/** The packages as pnpm packs them: petstore-client-1.0.0.tgz. */
const tarballs = released.map((folder) => {
  const { name, version } = manifest(folder);
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
});
const isInstalled = (command: string) => exists(`node_modules/.bin/${/^(?:npx )?([\w-]+)/.exec(command)?.[1]}`);

const noCurl = skips('the curl commands of pages', missingProgram('curl'), 'curl');

export const exceptions: readonly Exception[] = [
  ...(noCurl ? [{ commands: /^curl /, reason: 'this machine has no curl' }] : []),
  {
    commands: /^npm start\b/,
    reason:
      'it serves until it is stopped; the fixture starts the same server, and tools/test/start.test.ts runs npm start',
    check: isScript,
  },
  {
    commands: /^npm (test|run [\w:-]+)\b/,
    reason: 'it works on the whole repository, and npm test runs this test',
    check: isScript,
  },
  {
    commands: /^npm install /,
    reason: 'it needs a registry; tools/test/packaging installs the packed packages',
    check: (command) => {
      const named = [...command.matchAll(/[\w.-]+\.tgz\b/g)].map(([name]) => name);
      expect(named).not.toEqual([]);
      expect(tarballs).toEqual(expect.arrayContaining(named));
    },
  },
  {
    commands: /^petctl auth login(?! --with-key)/,
    reason: 'it reads the key from a terminal; apps/petctl/test/auth.test.ts does that',
    instead: 'petctl auth login --with-key < key.txt',
  },
  {
    commands: /^(DATABASE_URL=|mkdir -m 700 restored|node_modules\/\.bin\/petstore-server (export|import|--data-dir) )/,
    reason: 'it needs a PostgreSQL or a stopped server; apps/server/test/process.test.ts exports and imports',
  },
  {
    commands: /^docker (build|run|compose)\b/,
    reason: 'tools/test/deploy builds and runs the same with podman, where this machine has it',
    check: (command) => {
      for (const [, file = ''] of command.matchAll(/--file (\S+)/g)) exists(file);
      // The page runs commands in the container by this name.
      if (/^docker run /.test(command)) {
        const [, name = ''] = /docker exec (\S+)/.exec(textOf('docs/containers.md')) ?? [];
        expect(command).toContain(` --name ${name} `);
      }
    },
  },
  {
    commands: /^(cd apps\/server\/deploy|printf 'DATABASE_URL|openssl|cat|chown)\b/,
    reason: 'it makes secrets for a deployment; tools/test/deploy makes its own',
    check: (command) => {
      for (const [file] of command.matchAll(/apps\/server\/deploy[\w./-]*/g)) exists(file);
    },
  },
  { commands: /^(npx )?(changeset|pnpm)\b/, reason: 'it changes or checks the repository', check: isInstalled },
];

/** Throws if a diagram names a file or folder that does not exist. */
export const foldersExist = ({ text }: Block) => {
  for (const [folder] of text.matchAll(/\b(apps|packages|spec|tools|examples)\/[\w./-]+\w/g)) exists(folder);
};

/** Pages whose text blocks another test compares. */
export const pagesWithOtherTexts: readonly { page: string; reason: string }[] = [
  { page: 'docs/adding-an-operation.md', reason: 'a message of the compiler; adding-an-operation.test.ts compares it' },
  { page: 'docs/petctl.md', reason: 'the help of petctl; the drift script compares it' },
];
