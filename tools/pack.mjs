// `npm run pack -- client [--to FOLDER] [--built]`: packs a package, and those of this repository that it needs, into
// `packed/client`, from where npm installs them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { hooks } = await import(new URL('../.pnpmfile.mjs', import.meta.url));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' }, built: { type: 'boolean' } },
});
const [name] = positionals;
if (name) packAll(name, values.to === undefined ? emptyFolderFor(name) : resolve(values.to));
// As the script `prepack` of a package: npm would pack the manifest of the repository, which leads to the sources.
else fail(`In ${root}, run "npm run pack -- client", with the name of a package.`);

/** Packs a package and those that it needs into a folder. Builds them first, unless the flag says that they are built. */
function packAll(name, folder) {
  const filters = namesFor(name).map((each) => `--filter=${each}`);
  if (!values.built) pnpm('--dir', root, ...filters, 'run', '--if-present', 'build');
  pnpm('--dir', root, ...filters, 'pack', '--ignore-scripts', '--pack-destination', folder);
  const tarballs = readdirSync(folder).flatMap((file) =>
    file.endsWith('.tgz') ? join(folder, file) : [],
  );
  console.log(`In your project:\n\n  npm install ${tarballs.join(' ')}`);
}

/** Only a folder that this script alone writes is emptied. */
function emptyFolderFor(name) {
  const folder = join(root, 'packed', name.replace('@petstore/', ''));
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

/** A package, and those of this repository that it needs as it is packed. */
function namesFor(name) {
  const folders = ['.', 'packages', 'apps'].map((parent) =>
    join(root, parent, name.replace('@petstore/', '')),
  );
  const file = folders
    .map((folder) => join(folder, 'package.json'))
    .find((each) => existsSync(each));
  const manifest = file && JSON.parse(readFileSync(file, 'utf8'));
  if (!manifest || manifest.private) fail(`There is no package ${name} to pack.`);
  const dependencies = Object.entries(hooks.beforePacking(manifest).dependencies ?? {});
  const ours = dependencies.filter(([, from]) => from.startsWith('workspace:'));
  return [manifest.name, ...ours.flatMap(([each]) => namesFor(each))];
}

function pnpm(...args) {
  const env = {
    ...process.env,
    PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH,
  };
  const shell = process.platform === 'win32';
  const { status, error, stdout, stderr } = spawnSync('pnpm', args, {
    env,
    shell,
    encoding: 'utf8',
  });
  if (status !== 0) fail(`pnpm ${args.join(' ')} failed:\n${error ?? stdout + stderr}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
