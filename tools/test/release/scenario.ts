import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { parse } from 'yaml';
import { textOf } from '../../repository.ts';
import { type Copy, copyOfRepository } from '../repository-copy.ts';
import { type Env, run } from '../support/process.ts';
import { startServerProcess } from '../support/server.ts';
import { type Registry, startRegistry } from './registry.ts';

/** A checkout, a registry to which it is released, and two projects that install from there. */
export interface Scenario {
  readonly checkout: string;
  readonly registry: Registry;
  /** The project that calls the client. */
  readonly caller: string;
  /** The project that uses petctl. */
  readonly shell: string;
  /** Changes the checkout, writes a changeset for it, and commits both. */
  change(bump: 'patch' | 'minor', summary: string, edits?: Record<string, (text: string) => string>): void;
  /** Runs the release command. It skips the tests, because it is run by one of them. */
  release(): Promise<string>;
  /** The same in the steps of the workflow, which publish what the command packed. */
  pack(env: Env): Promise<string>;
  publish(env: Env): Promise<string>;
  tag(): Promise<string>;
  in(folder: string, command: string, ...args: string[]): Promise<string>;
  /** Adds a pet, and lists the pets of the installed server, with the client and with petctl. */
  use(input: Record<string, unknown>, ...flags: string[]): Promise<{ called: Pet[]; listed: Pet[] }>;
  end(): Promise<void>;
}

interface Pet {
  readonly name: string;
}

const program = `
import { petstore } from '@petstore/client';

const [baseUrl, apiKey, input] = process.argv.slice(2);
console.log(JSON.stringify(await petstore({ baseUrl, apiKey }).listPets(JSON.parse(input))));
`;

/** A fake of GitHub's command line: a release makes a tag, and its files have to exist. */
const GITHUB = `#!/usr/bin/env bash
set -e
[ "$1 $2" = 'release create' ] || exit 1
[ "$4 $6 $8" = '--target --title --notes' ]
[ -s "\${10}" ] && [ -s "\${11}" ]
git -C "$CHECKOUT" tag "$3" "$5"
`;

export async function startScenario(): Promise<Scenario> {
  const { folder, remove } = makeFolder('release');
  const registry = await startRegistry(folder);
  const env: Env = { ...registry.env, ...signature('AUTHOR'), ...signature('COMMITTER') };

  const copy = copyOfRepository();
  copy.git('init', '--quiet', '--initial-branch=main');
  // Here they are links, which .gitignore does not match.
  await writeFile(join(copy.folder, '.git/info/exclude'), 'node_modules\n');
  // The scenario writes its own changesets: the versions that it expects do not depend on those that wait in the repository.
  for (const file of await readdir(join(copy.folder, '.changeset')))
    if (file.endsWith('.md')) await rm(join(copy.folder, '.changeset', file));
  commit(copy, 'As it is');

  /** Runs the one step of a job of the workflow that is a script, in the folder that the artifact is downloaded to. */
  const step = (job: string, more: Env) => {
    const steps: { run?: string }[] = parse(textOf('.github/workflows/release.yml')).jobs[job].steps;
    const [script = '', ...others] = steps.flatMap((each) => each.run ?? []);
    if (others.length > 0) throw new Error(`The job ${job} has more than one script.`);
    // As GitHub runs `shell: bash`.
    return run(
      join(copy.folder, 'dist/release'),
      more,
      'bash',
      '--noprofile',
      '--norc',
      '-eo',
      'pipefail',
      '-c',
      script,
    );
  };

  const [caller, shell] = await Promise.all(['caller', 'shell'].map((name) => newProject(join(folder, name))));
  if (!caller || !shell) throw new Error('There are no projects.');
  await writeFile(join(caller, 'program.js'), program);

  return {
    checkout: copy.folder,
    registry,
    caller,
    shell,
    change: (bump, summary, edits = {}) => {
      for (const [file, edit] of Object.entries(edits)) copy.change(file, edit);
      if (Object.keys(edits).length > 0) copy.generate();
      copy.change(`.changeset/${bump}.md`, () => `---\n'@petstore/spec': ${bump}\n---\n\n${summary}\n`);
      commit(copy, summary);
    },
    release: () => run(copy.folder, env, 'npm', 'run', 'release', '--', '--tested'),
    pack: (more) => run(copy.folder, { ...env, ...more }, 'npm', 'run', 'release', '--', '--tested', '--pack'),
    publish: (more) => step('publish', { ...env, ...more }),
    tag: async () => {
      const programs = join(folder, 'programs');
      await mkdir(programs, { recursive: true });
      await writeFile(join(programs, 'gh'), GITHUB, { mode: 0o755 });
      const PATH = programs + delimiter + env.PATH;
      return step('tag', { ...env, PATH, GITHUB_SHA: 'main', CHECKOUT: copy.folder });
    },
    in: (cwd, command, ...args) => run(cwd, env, command, ...args),
    use: async (input, ...flags) => {
      // The server that was installed, on the data of the release before.
      const main = join(caller, 'node_modules/@petstore/server/dist/main.js');
      const key = 'a-key-that-is-for-tests';
      await mkdir(join(folder, 'served'), { recursive: true });
      const server = await startServerProcess(join(folder, 'served'), { ...env, PETSTORE_API_KEYS: `me=${key}` }, main);
      const baseUrl = `${server.origin}/v1`;
      try {
        const pets = { ...env, PETCTL_API_KEY: key, PETCTL_BASE_URL: baseUrl, XDG_CONFIG_HOME: folder };
        const petctl = (...args: string[]) => run(shell, pets, join('node_modules', '.bin', 'petctl'), 'pets', ...args);
        await petctl('create', '--name', 'Rex', '--category-id', '2', '--quiet');
        const listed = await petctl('list', '--output', 'json', ...flags);
        const args = ['program.js', baseUrl, key, JSON.stringify(input)];
        const called = await run(caller, env, process.execPath, ...args);
        return { called: JSON.parse(called), listed: JSON.parse(listed) };
      } finally {
        await server.stop();
      }
    },
    end: async () => {
      await registry.close();
      copy.remove();
      remove();
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

async function newProject(folder: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  return folder;
}
