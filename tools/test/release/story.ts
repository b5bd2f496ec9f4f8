import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Copy, copyOfRepository } from '../repository-copy.ts';
import { type Env, run, serve } from './processes.ts';
import { type Registry, startRegistry } from './registry.ts';

/** A checkout of its own, a registry to release to, and two projects of others that install from there. */
export interface Story {
  readonly checkout: string;
  readonly registry: Registry;
  /** Calls the client. */
  readonly caller: string;
  /** Uses petctl. */
  readonly shell: string;
  /** Changes the checkout, writes a changeset for it, and commits both. */
  change(bump: 'patch' | 'minor', says: string, edits?: Record<string, (text: string) => string>): void;
  /** The one command. That everything is tested already is true: this is a part of it. */
  release(more?: Env): Promise<string>;
  in(folder: string, command: string, ...args: string[]): Promise<string>;
  /** What the program and petctl of the two projects print, against the server of the checkout. */
  use(given: Record<string, unknown>, ...flags: string[]): Promise<{ called: Pet[]; listed: Pet[] }>;
  end(): Promise<void>;
}

interface Pet {
  readonly name: string;
}

const program = `
import { petstore } from '@petstore/client';

const [baseUrl, apiKey, given] = process.argv.slice(2);
console.log(JSON.stringify(await petstore({ baseUrl, apiKey }).listPets(JSON.parse(given))));
`;
const apiKey = 'a-key-that-is-for-tests';

export async function begin(): Promise<Story> {
  const scratch = await mkdtemp(join(tmpdir(), 'petstore-release-'));
  const registry = await startRegistry(scratch);
  const env: Env = { ...registry.env, ...signature('AUTHOR'), ...signature('COMMITTER') };
  const inside = (folder: string, command: string, ...args: string[]) => run(folder, env, command, ...args);

  const copy = copyOfRepository();
  copy.git('init', '--quiet', '--initial-branch=main');
  // They are links here, which .gitignore does not mean.
  await writeFile(join(copy.folder, '.git/info/exclude'), 'node_modules\n');
  commit(copy, 'As it is');

  const [caller, shell] = await Promise.all(['caller', 'shell'].map((name) => project(join(scratch, name))));
  if (!caller || !shell) throw new Error('There are no projects.');
  await writeFile(join(caller, 'program.js'), program);

  return {
    checkout: copy.folder,
    registry,
    caller,
    shell,
    change: (bump, says, edits = {}) => {
      for (const [file, edit] of Object.entries(edits)) copy.change(file, edit);
      if (Object.keys(edits).length > 0) copy.generate();
      copy.change(`.changeset/${bump}.md`, () => `---\n'@petstore/spec': ${bump}\n---\n\n${says}\n`);
      commit(copy, says);
    },
    release: (more = {}) => run(copy.folder, { ...env, ...more }, 'npm', 'run', 'release', '--', '--tested'),
    in: inside,
    use: async (given, ...flags) => {
      const server = await serve(copy.folder, join(scratch, 'data'), apiKey);
      try {
        const pets = { ...env, PETCTL_API_KEY: apiKey, PETCTL_BASE_URL: server.baseUrl, XDG_CONFIG_HOME: scratch };
        const petctl = (...args: string[]) => run(shell, pets, join('node_modules', '.bin', 'petctl'), 'pets', ...args);
        await petctl('create', '--name', 'Rex', '--category-id', '2', '--quiet');
        const listed = await petctl('list', '--output', 'json', ...flags);
        const called = await inside(
          caller,
          process.execPath,
          'program.js',
          server.baseUrl,
          apiKey,
          JSON.stringify(given),
        );
        return { called: JSON.parse(called), listed: JSON.parse(listed) };
      } finally {
        await server.close();
      }
    },
    end: async () => {
      await registry.close();
      copy.remove();
      await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const signature = (role: string): Env => ({
  [`GIT_${role}_NAME`]: 'A Releaser',
  [`GIT_${role}_EMAIL`]: 'releaser@localhost',
});

function commit(copy: Copy, message: string): void {
  copy.git('add', '--all');
  copy.git('commit', '--quiet', '--no-gpg-sign', '--message', message);
}

async function project(folder: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  return folder;
}
