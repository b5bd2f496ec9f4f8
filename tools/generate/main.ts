// Brings everything that follows from spec/openapi.yaml up to date. Files that are right already stay untouched.
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../drift/root.ts';
import { outdated } from '../drift/surfaces/generated.ts';
import { withGenerated } from './generate.ts';

await withGenerated(async (scratch) => {
  const changes = await outdated(scratch);
  for (const { file, what } of changes) {
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
  // petctl's reference is made from its commands, and those from what was just written.
  if (changes.length > 0)
    execFileSync(process.execPath, ['build/write-docs.ts'], { cwd: join(root, 'apps/petctl'), stdio: 'inherit' });
});
