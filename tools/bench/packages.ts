// Measures what users download: packs each package, and installs it with npm.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { released, root } from '../repository.ts';
import { rounded, withScratch } from './measure.ts';
import type { Section } from './section.ts';

interface Packed {
  readonly name: string;
  readonly tarball: string;
  readonly dependencies: readonly string[];
}

const shell = process.platform === 'win32';

export async function packages(): Promise<Section> {
  return withScratch(async (scratch) => {
    execFileSync(process.execPath, ['tools/turbo.mjs', 'run', 'build', '--output-logs=errors-only'], { cwd: root });
    const packed = released.map((folder) => pack(folder, scratch));
    const rows = packed.map((one) => {
      const folder = join(scratch, one.name);
      const own = withDependencies(one, packed);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'package.json'), '{"private":true}');
      const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
      execFileSync('npm', [...args, ...own.map(({ tarball }) => tarball)], { cwd: folder, stdio: 'pipe', shell });
      const modules = join(folder, 'node_modules');
      const installed: object = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
      return {
        package: one.name,
        'packed, kB': Math.round(lstatSync(one.tarball).size / 1000),
        'unpacked, kB': Math.round(bytesIn(join(modules, one.name)) / 1000),
        'direct dependencies': one.dependencies.length,
        'installed packages': Object.keys(installed).length - 1,
        'all installed, MB': rounded(bytesIn(modules) / 1e6, 1),
      };
    });
    return {
      title: 'Packages',
      how: 'The published tarballs, each installed with npm in an empty project. Installed packages are those beside the package itself, on this platform.',
      tables: [{ rows }],
    };
  });
}

function pack(folder: string, scratch: string): Packed {
  const args = ['pack', '--json', '--pack-destination', scratch];
  const { filename } = JSON.parse(execFileSync('pnpm', args, { cwd: join(root, folder), encoding: 'utf8', shell }));
  const manifest = execFileSync('tar', ['-xzOf', filename, 'package/package.json'], { encoding: 'utf8' });
  const { name, dependencies, optionalDependencies } = JSON.parse(manifest);
  return { name, tarball: filename, dependencies: Object.keys({ ...dependencies, ...optionalDependencies }) };
}

/** A package and those of ours that it depends on. */
function withDependencies(one: Packed, packed: readonly Packed[]): Packed[] {
  const direct = packed.filter(({ name }) => one.dependencies.includes(name));
  return [...new Set([one, ...direct.flatMap((dependency) => withDependencies(dependency, packed))])];
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => lstatSync(join(folder, file)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}
