// Bundles the program for the checkout, and replaces it atomically, because other processes may start it at any time.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { petctlBundle } from './bundle.ts';

const cache = join(import.meta.dirname, '../node_modules/.cache');
const scratch = join(cache, `program.${process.pid}.tmp`);

await mkdir(cache, { recursive: true });
await writeFile(scratch, (await petctlBundle()).code);
await rename(scratch, join(cache, 'program.cjs'));
