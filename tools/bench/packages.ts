// Measures what users download: packs each package, and installs it with npm.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { released, root } from '../repository.ts';
import { run } from '../test/support/process.ts';
import { withScratch } from './measure.ts';
import type { Section } from './section.ts';

export async function packages(): Promise<Section> {
  return withScratch(async (scratch) => {
    await run(root, process.env, process.execPath, 'tools/turbo.mjs', 'run', 'build', '--output-logs=errors-only');
    const tarballs = Object.fromEntries(await Promise.all(released.map((folder) => pack(folder, scratch))));
    const rows: Section['tables'][number]['rows'] = [];
    for (const [name, tarball] of Object.entries(tarballs)) {
      const folder = join(scratch, name);
      mkdirSync(folder, { recursive: true });
      // npm installs our other packages from their tarballs, too.
      const manifest = { private: true, dependencies: { [name]: tarball }, overrides: tarballs };
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
      const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
      await run(folder, process.env, 'npm', 'install', ...flags);
      const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages;
      rows.push({
        package: name,
        'packed, kB': Math.round(statSync(tarball).size / 1000),
        dependencies: Object.keys(installed).length - 1,
      });
    }
    return {
      title: 'Packages',
      how: 'The published tarballs, and the packages that npm installs with each on this platform.',
      tables: [{ rows }],
    };
  });
}

/** Packs a package. Returns its name and its tarball. */
async function pack(folder: string, scratch: string): Promise<[name: string, tarball: string]> {
  const printed = await run(join(root, folder), process.env, 'pnpm', 'pack', '--json', '--pack-destination', scratch);
  const { name, filename } = JSON.parse(printed);
  return [name, filename];
}
