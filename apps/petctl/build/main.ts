// Builds `dist`: what every command starts with in one file, what few need in files of their own, and the man pages.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { manPages } from '../src/docs/man.ts';
import { fullTree } from '../src/tree/full-tree.ts';
import { petctlBundle } from './bundle.ts';
import { launcher } from './launcher.ts';
import { bundledPackages, licences } from './licenses.ts';

const root = join(import.meta.dirname, '..');
const dist = process.argv[2] ?? join(root, 'dist');

await rm(dist, { recursive: true, force: true });
await mkdir(join(dist, 'man'), { recursive: true });
const { core, lazy, sources } = await petctlBundle();
await writeFile(join(dist, 'petctl.js'), launcher(core, manifest), { mode: 0o755 });
for (const [file, code] of lazy) await writeFile(join(dist, file), code);
await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(bundledPackages(sources)));
await writeFile(join(dist, 'package.json'), '{"type":"commonjs"}\n');
for (const [file, page] of manPages(fullTree(), manifest.version)) await writeFile(join(dist, 'man', file), page);
