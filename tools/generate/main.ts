// Brings everything that is generated from spec/openapi.yaml up to date. Files that are right already stay untouched.
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../drift/root.ts';
import { outdated } from '../drift/surfaces/generated.ts';
import { withGenerated } from './generate.ts';

await withGenerated(async (scratch) => {
  for (const { file, what } of await outdated(scratch)) {
    const path = join(root, file);
    if (what === 'does not belong here') {
      await rm(path);
      console.log(`removed ${file}`);
    } else {
      await mkdir(dirname(path), { recursive: true });
      await copyFile(join(scratch, file), path);
      console.log(`wrote ${file}`);
    }
  }
});
