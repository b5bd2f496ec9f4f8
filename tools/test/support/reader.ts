// What the reader of a page has: a home with petctl, a project in it with the built packages, and a server that runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { makeFolder, missingShell, skips } from '@petstore/testing';
import { root } from '../../repository.ts';
import { type Env, type Server, startServer } from './server.ts';

/** Whether this machine has the shell for which pages and examples are written. */
export const hasShell = !skips('the commands of pages and examples', missingShell);

/** Files that pages name without making them. */
const namedFiles = {
  'pets.jsonl': '{"name":"Rex","categoryId":2,"status":"sold"}\n{"name":"Tom","categoryId":1}\n',
  'pets.csv': 'name,categoryId,status\nIda,3,available\n',
  'body.json': '{"name":"Bo","categoryId":4}',
};

/** The address and the key that pages show. */
const shown = { origin: 'http://127.0.0.1:8080', key: 'pk_…' };

export type Reader = Awaited<ReturnType<typeof newReader>>;

/** Makes a project with the built packages and the examples in a home folder. */
export async function newProject(): Promise<{ home: string; folder: string; remove(): void }> {
  const { folder: home, remove } = makeFolder('home');
  const folder = join(home, 'petstore');
  try {
    for (const each of [
      'bin',
      '.zsh/completions',
      '.config/fish/completions',
      'petstore/node_modules',
    ])
      await mkdir(join(home, each), { recursive: true });
    // The commands of a checkout, and petctl as it is installed globally.
    await symlink(join(root, 'node_modules/.bin'), join(folder, 'node_modules/.bin'), 'junction');
    await symlink(join(root, 'apps/petctl/dist/petctl.js'), join(home, 'bin/petctl'));
    for (const from of ['packages/types', 'packages/client'])
      await install(join(root, from), folder);
    await symlink(
      join(root, 'apps/server'),
      join(folder, 'node_modules/@petstore/server'),
      'junction',
    );
    await cp(join(root, 'examples'), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    for (const [file, text] of Object.entries(namedFiles))
      await writeFile(join(folder, file), text);
    return { home, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

export async function newReader(
  start: (folder: string, env: Env) => Promise<Server> = () => startServer(),
) {
  const { home, folder, remove } = await newProject();
  const { TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const env = {
    PATH: [join(home, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    ...{
      HOME: home,
      TMPDIR,
      NODE_COMPILE_CACHE,
      PETCTL_KEYRING: 'false',
      NO_COLOR: '1',
      npm_config_offline: 'true',
    },
  };
  const server = await start(folder, env).catch((error: unknown) => {
    remove();
    throw error;
  });
  const { origin, key } = server;
  await writeFile(join(folder, 'key.txt'), key);
  const addresses = { PETCTL_BASE_URL: `${origin}/v1`, PETSTORE_BASE_URL: `${origin}/v1` };
  const keys = { PETCTL_API_KEY: key, PETSTORE_API_KEY: key };
  /** A text of a page, with the address and the key of this server. */
  const fillIn = (text: string) => text.replaceAll(shown.origin, origin).replaceAll(shown.key, key);
  const asShown = (text: string) =>
    text.replaceAll(origin, shown.origin).replaceAll(key, shown.key);
  const state = join(home, 'state');
  await writeFile(state, '');

  /** Runs commands in a shell. Later commands see the variables that they export and the folder that they change to. */
  const run = async (commands: string, more: Record<string, string> = {}) => {
    const added = Object.entries(more).map(([name, value]) => `export ${name}='${value}'`);
    const saved = `unset ${Object.keys(more).join(' ')}; { export -p; echo "cd '$PWD'"; } > '${state}'`;
    const saving = [`save() { code=$?; ${saved}; exit $code; }`, 'trap save EXIT', 'set -e'];
    const script = ['exec 2>&1', `. '${state}'`, ...added, ...saving, fillIn(commands)].join('\n');
    const all = { ...env, ...addresses, ...keys };
    const child = spawn('sh', ['-c', script], {
      cwd: folder,
      env: all,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 400_000,
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const [code] = await once(child, 'close');
    return { code, output: asShown(output) };
  };
  const close = async () => {
    await server.stop();
    remove();
  };
  return { folder, greeting: asShown(server.greeting), fillIn, run, close };
}

/** Puts a package in a project: the files and the manifest that it is published with. */
async function install(from: string, project: string): Promise<void> {
  const { publishConfig, ...manifest } = JSON.parse(
    await readFile(join(from, 'package.json'), 'utf8'),
  );
  const to = join(project, 'node_modules', manifest.name);
  for (const file of manifest.files)
    await cp(join(from, file), join(to, file), { recursive: true });
  await writeFile(join(to, 'package.json'), JSON.stringify({ ...manifest, ...publishConfig }));
}
