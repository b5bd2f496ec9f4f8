// Installs missing packages, then runs a command: `node tools/setup.mjs [-- command …]`. Plain JavaScript for the machine's
// own Node; npm puts node_modules/.bin into PATH, so `node` in the command is the pinned Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('../', import.meta.url);
const setpriv = '/usr/bin/setpriv';
const stamp = new URL('node_modules/.serve-lock.yaml', root);

/** The filter for the packages of `npm start` and `npx petctl`, without those of tests and tools. */
const subset = [
  '--prod',
  '--filter',
  'petstore',
  '--filter-prod',
  '@petstore/server...',
  '--filter-prod',
  'petctl...',
];

/** Installs `subset` if `wanted` is `serve`, else everything. A full installation stays complete. */
export async function setup(wanted) {
  const lock = read('pnpm-lock.yaml');
  const hasAll = existsSync(new URL('node_modules/turbo', root));
  // pnpm stores the lockfile of the installed packages. After `serve` that is only a part, so `stamp` holds all of it.
  if (
    hasAll
      ? read('node_modules/.pnpm/lock.yaml') === lock
      : wanted === 'serve' && read(stamp) === lock
  )
    return;
  await install(hasAll || wanted === 'all' ? [] : subset);
  writeFileSync(stamp, lock);
}

/** The path of the installed, pinned Node. Where no package has Node for the platform, that of the running Node. */
export function pinnedNode() {
  const [folder] = readdirSync(new URL('node_modules/', root)).filter((name) =>
    /^node-(bin-)?\w+-\w+$/.test(name),
  );
  if (!folder && process.features.typescript) return process.execPath;
  if (!folder)
    throw new Error('No package has Node for this platform: install Node 22.18 or later.');
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return fileURLToPath(new URL(`node_modules/${folder}/bin/${file}`, root));
}

function read(file) {
  const url = new URL(file, root);
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
}

/** Runs the pinned pnpm. Shows its output only after a failure. */
async function install(filter) {
  const { packageManager: pnpm } = JSON.parse(read('package.json'));
  const started = Date.now();
  console.error(`Installing with ${pnpm} …`);
  const args = [
    'install',
    '--frozen-lockfile',
    '--trust-lockfile',
    '--reporter=append-only',
    ...filter,
  ];
  const child = npm('exec', '--yes', `--package=${pnpm}`, '--', 'pnpm', ...args);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  if (code === 0)
    return console.error(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  console.error(`The installation failed:\n${output.trimEnd()}`);
  process.exit(1);
}

/** Starts the npm in PATH. */
function npm(...args) {
  const child = spawn('npm', args, {
    cwd: root,
    stdio: 'pipe',
    shell: process.platform === 'win32',
  });
  return child.on('error', ({ code }) => {
    console.error(`npm cannot be started (${code}). Install it, and put it into PATH.`);
    process.exit(1);
  });
}

/**
 * Runs a command in place of this process. On Linux the command gets SIGTERM when its parent ends, even by SIGKILL: npm could
 * not forward that, and a server would continue to hold its port and its data folder.
 */
export function runInstead(command, args, env = {}) {
  const all = { ...process.env, ...env };
  const isTied = process.platform === 'linux' && existsSync(setpriv);
  const tied = isTied
    ? [setpriv, '--pdeathsig', 'TERM', '--', command, ...args]
    : [command, ...args];
  if (isTied && process.execve) process.execve(setpriv, tied, all);

  const [file = '', ...rest] = tied;
  const child = spawn(file, rest, {
    stdio: 'inherit',
    env: all,
    shell: process.platform === 'win32',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`${command}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setup('all');
  const [, , separator, file, ...args] = process.argv;
  if (separator === '--') runInstead(file, args);
}
