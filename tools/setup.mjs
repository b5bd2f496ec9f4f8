// Installs missing packages, then runs a command: `node tools/setup.mjs [-- command …]`. Plain JavaScript for the machine's
// own Node; npm puts node_modules/.bin into PATH, so `node` in the command is the pinned Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInstead } from './processes.mjs';

const root = new URL('../', import.meta.url);
const stamp = new URL('node_modules/.serve-lock.yaml', root);

/** The filter for the packages of `npm start` and `npx petctl`, without those of tests and tools. */
const subset = ['--prod', '--filter', 'petstore', '--filter-prod', '@petstore/server...', '--filter-prod', 'petctl...'];

/** Installs `subset` if `wanted` is `serve`, else everything. A full installation stays complete. */
export async function setup(wanted) {
  const lock = read('pnpm-lock.yaml');
  const hasAll = existsSync(new URL('node_modules/turbo', root));
  // pnpm stores the lockfile of the installed packages. After `serve` that is only a part, so `stamp` holds all of it.
  if (hasAll ? read('node_modules/.pnpm/lock.yaml') === lock : wanted === 'serve' && read(stamp) === lock) return;
  await install(hasAll || wanted === 'all' ? [] : subset);
  writeFileSync(stamp, lock);
}

/** The path of the installed, pinned Node. Where no package has Node for the platform, that of the running Node. */
export function pinnedNode() {
  const [folder] = readdirSync(new URL('node_modules/', root)).filter((name) => /^node-(bin-)?\w+-\w+$/.test(name));
  if (!folder && process.features.typescript) return process.execPath;
  if (!folder) throw new Error('No package has Node for this platform: install Node 22.18 or later.');
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return fileURLToPath(new URL(`node_modules/${folder}/bin/${file}`, root));
}

function read(file) {
  try {
    return readFileSync(new URL(file, root), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs the pinned pnpm, with a progress line. Shows pnpm's output only after a failure. */
async function install(filter) {
  const [pnpm, sha512] = JSON.parse(read('package.json')).packageManager.split('+sha512.');
  const args = ['install', '--frozen-lockfile', '--trust-lockfile', '--reporter=append-only', ...filter];
  const started = Date.now();
  const progress = progressLine(`Installing with ${pnpm}`);
  // npm verifies its download against this hash. Without a response of the registry, there is no hash, and no download either.
  const view = npm('view', pnpm, 'dist.integrity');
  // Its warnings are not shown, but unread they would block it.
  view.stderr.resume();
  const named = (await text(view.stdout)).trim();
  if (named !== '' && named !== `sha512-${Buffer.from(sha512, 'hex').toString('base64')}`) {
    progress.end(`The registry names another hash for ${pnpm} than package.json: ${named}. Do not install it.`);
    process.exit(1);
  }
  const child = npm('exec', '--yes', `--package=${pnpm}`, '--', 'pnpm', ...args);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      output += part;
      const [, added] = part.match(/.*\badded (\d+)/s) ?? [];
      if (added) progress.update(`${added} packages`);
    });
  }
  const [code] = await once(child, 'close');
  if (code === 0) return progress.end(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  progress.end('The installation failed:');
  process.stderr.write(output);
  process.exit(1);
}

/** Starts npm: the one that runs this script, else the one in PATH. */
function npm(...args) {
  const { npm_node_execpath: node, npm_execpath: cli = '' } = process.env;
  const isScript = node && basename(cli) === 'npm-cli.js';
  return spawn(isScript ? node : 'npm', isScript ? [cli, ...args] : args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: !isScript && process.platform === 'win32',
  }).on('error', ({ code }) => {
    console.error(`npm cannot be started (${code}). Install it, and put it into PATH.`);
    process.exit(1);
  });
}

/** One line on stderr, rewritten in place on a terminal. */
function progressLine(title) {
  const { isTTY } = process.stderr;
  const show = (line) => process.stderr.write(isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  show(`${title} …`);
  return {
    update: (detail) => isTTY && show(`${title}: ${detail}`),
    end: (line) => show(isTTY ? `${line}\n` : line),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setup('all');
  const [, , separator, ...command] = process.argv;
  // This process runs on the machine's own Node, so a new one runs the command.
  const [file, ...args] = command;
  if (separator === '--') runInstead(file, args, { shell: process.platform === 'win32' });
}
