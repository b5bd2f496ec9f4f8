// `npm run pack -- client [--to FOLDER] [--built]` packs a package, and those of this repository that
// it needs, into `packed/client` or the folder. npm installs them from there.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' }, built: { type: 'boolean' } },
});
const [name] = positionals;
// A package has this file as its script `prepack`, without a name: `npm pack` would pack the manifest
// of the repository, which leads to the sources.
if (name === undefined)
  fail(`In ${root}, run "npm run pack -- client", with the name of a package.`);
packAll(name, values.to === undefined ? emptyFolderFor(name) : resolve(values.to));

/** Packs a package and those that it needs into a folder. Builds them first, unless `--built`. */
function packAll(name, folder) {
  const filters = namesFor(name).map((each) => `--filter=${each}`);
  if (!values.built) pnpm('--dir', root, ...filters, 'run', '--if-present', 'build');
  pnpm('--dir', root, ...filters, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const tarballs = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  const paths = tarballs.map((file) => join(folder, file)).join(' ');
  const { bin, exports, publishConfig } = manifestOf(name);
  const doors = Object.keys(publishConfig.exports ?? exports);
  if (doors.some((door) => door !== './package.json'))
    console.log(`To import it, run in your project:\n\n  npm install ${paths}\n`);
  if (bin)
    console.log(
      `To use ${Object.keys(bin).join()} everywhere:\n\n  npm install --global ${paths}\n`,
    );
}

/** Only a folder that this script alone writes is emptied. */
function emptyFolderFor(name) {
  const folder = join(root, 'packed', name.replace('@petstore/', ''));
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

/** A package, and those of this repository that it needs as it is packed. */
function namesFor(name) {
  const manifest = manifestOf(name);
  const dependencies = Object.entries(manifest.dependencies ?? {});
  const ours = dependencies.filter(([, from]) => from.startsWith('workspace:'));
  return [manifest.name, ...ours.flatMap(([each]) => namesFor(each))];
}

/** The manifest of a package, whose name may lack the scope. */
function manifestOf(name) {
  const folder = name.replace('@petstore/', '');
  const files = ['.', 'packages', 'apps'].map((parent) =>
    join(root, parent, folder, 'package.json'),
  );
  const file = files.find((each) => existsSync(each));
  const manifest = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'));
  if (manifest === undefined || manifest.private) fail(`There is no package ${name} to pack.`);
  return manifest;
}

function pnpm(...args) {
  const path = join(root, 'node_modules/.bin') + delimiter + process.env.PATH;
  const { status, error, stdout, stderr } = spawnSync('pnpm', args, {
    env: { ...process.env, PATH: path },
    shell: process.platform === 'win32',
    encoding: 'utf8',
  });
  if (status !== 0) fail(`pnpm ${args.join(' ')} failed:\n${error ?? stdout + stderr}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
