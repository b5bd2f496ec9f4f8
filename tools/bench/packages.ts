/** Measures what users download: `node tools/bench/packages.ts`. It packs each package and installs it with npm. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { released, root } from '../repository.ts';
import { withScratch } from './fixtures.ts';
import { alone, type Section } from './section.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Packed {
  readonly manifest: Manifest;
  readonly tarball: string;
}

const shell = process.platform === 'win32';

export async function packages(): Promise<Section> {
  return withScratch(async (scratch) => {
    execFileSync(process.execPath, ['tools/turbo.mjs', 'run', 'build', '--output-logs=errors-only'], { cwd: root });
    const packed = new Map(released.map((folder) => pack(folder, scratch)).map((one) => [one.manifest.name, one]));
    const rows = [...packed.values()].map((one) => row(one, packed, join(scratch, one.manifest.name)));
    return {
      title: 'Packages',
      how:
        'The tarballs that a release publishes, each installed with npm in an empty project. Installed packages are those beside the package ' +
        'itself, on this platform.',
      tables: [{ rows }],
    };
  });
}

function pack(folder: string, scratch: string): Packed {
  const args = ['pack', '--json', '--pack-destination', scratch];
  const output = execFileSync('pnpm', args, { cwd: join(root, folder), encoding: 'utf8', shell });
  const { filename: tarball } = JSON.parse(output);
  const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' });
  return { manifest: JSON.parse(manifest), tarball };
}

function row({ manifest, tarball }: Packed, packed: ReadonlyMap<string, Packed>, folder: string) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const tarballs = [...closure(manifest.name, packed)].map((name) => packed.get(name)?.tarball ?? '');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', ...tarballs];
  execFileSync('npm', args, { cwd: folder, stdio: 'pipe', shell });
  const modules = join(folder, 'node_modules');
  const installed: object = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
  return {
    package: manifest.name,
    'packed, kB': kilobytes(lstatSync(tarball).size),
    'unpacked, kB': kilobytes(bytesIn(join(modules, manifest.name))),
    'direct dependencies': Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).length,
    'installed packages': Object.keys(installed).length - 1,
    'all installed, MB': Number((bytesIn(modules) / 1e6).toFixed(1)),
  };
}

/** A package and those of ours that it depends on. */
function closure(name: string, packed: ReadonlyMap<string, Packed>, found = new Set<string>()): Set<string> {
  if (!packed.has(name) || found.has(name)) return found;
  found.add(name);
  for (const dependency of Object.keys(packed.get(name)?.manifest.dependencies ?? {}))
    closure(dependency, packed, found);
  return found;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => lstatSync(join(folder, file)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);

const kilobytes = (bytes: number) => Math.round(bytes / 1000);

await alone(import.meta, packages);
