// `node tools/setup.mjs` installs missing packages, Node 26 included. npm scripts begin with it:
// npm puts node_modules/.bin into PATH, so what follows in the script runs on the installed Node.
// It is plain JavaScript, because it runs on the machine's own Node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('../', import.meta.url);

/**
 * The filters for the packages of `npm start` and `npx petctl`, without those of tests and tools.
 * What petctl and the docs page need is bundled into the published packages. So it stands in their
 * devDependencies, and the root has it as dependencies.
 */
const serverPackages = [
  '--prod',
  '--filter',
  'petstore',
  '--filter-prod',
  '@petstore/server...',
  '--filter-prod',
  'petctl...',
];
/**
 * The lockfile of the last installation of `serverPackages`. pnpm itself stores only the part that
 * it installed.
 */
const serverLock = 'node_modules/.server-lock.yaml';

/** Installs all packages, unless they are installed. */
export async function installAll() {
  if (hasTools() && read('node_modules/.pnpm/lock.yaml') === read('pnpm-lock.yaml')) return;
  await install([]);
}

/** Installs what `npm start` needs. Where all packages were installed, it installs all of them. */
export async function installServer() {
  if (hasTools()) return installAll();
  if (read(serverLock) === read('pnpm-lock.yaml')) return;
  await install(serverPackages);
  writeFileSync(new URL(serverLock, root), read('pnpm-lock.yaml'));
}

/**
 * The path of the installed Node, or of the running one if no package has Node for the platform.
 */
export function installedNode() {
  const packages = readdirSync(new URL('node_modules/', root));
  const name = packages.find((each) => /^node-(bin-)?\w+-\w+$/.test(each));
  if (name === undefined) {
    if (process.features.typescript) return process.execPath;
    throw new Error('No package has Node for this platform: install Node 22.18 or later.');
  }
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return fileURLToPath(new URL(`node_modules/${name}/bin/${file}`, root));
}

function hasTools() {
  return existsSync(new URL('node_modules/turbo', root));
}

function read(file) {
  const url = new URL(file, root);
  return existsSync(url) ? readFileSync(url, 'utf8') : undefined;
}

/** Runs the pinned pnpm by npm. Shows its output only after a failure, which ends this process. */
async function install(filters) {
  const { packageManager: pnpm } = JSON.parse(read('package.json'));
  const started = Date.now();
  console.error(`Installing with ${pnpm} …`);
  const flags = ['--frozen-lockfile', '--trust-lockfile', '--reporter=append-only'];
  const args = [
    'exec',
    '--yes',
    `--package=${pnpm}`,
    '--',
    'pnpm',
    'install',
    ...flags,
    ...filters,
  ];
  const npm = spawn('npm', args, { cwd: root, stdio: 'pipe', shell: process.platform === 'win32' });
  npm.on('error', ({ code }) => {
    fail(`npm cannot be started (${code}). Install it, and put it into PATH.`);
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [code] = await once(npm, 'close');
  if (code !== 0) fail(`The installation failed:\n${output.trimEnd()}`);
  console.error(`Installed in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await installAll();
