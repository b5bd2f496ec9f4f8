// Builds `dist`: the program as one file, the file that starts it, and the man pages.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { manPages } from '../src/commands/help/pages.ts';
import { fullTree } from '../src/commands/tree.ts';
import { petctlBundle } from './bundle.ts';
import { launcher } from './launcher.ts';
import { bundledPackages, licences } from './licenses.ts';

const root = join(import.meta.dirname, '..');
const dist = process.argv[2] ?? join(root, 'dist');

await rm(dist, { recursive: true, force: true });
await mkdir(join(dist, 'man'), { recursive: true });
const { code, sources } = await petctlBundle();
await writeFile(join(dist, 'program.js'), code);
await writeFile(join(dist, 'petctl.js'), launcher(manifest), { mode: 0o755 });
await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(bundledPackages(sources)));
await writeFile(join(dist, 'package.json'), '{"type":"commonjs"}\n');
for (const [file, page] of manPages(fullTree(), manifest.version)) await writeFile(join(dist, 'man', file), page);
