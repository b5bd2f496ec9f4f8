import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { differences } from '../drift/differences.ts';

let scratch: string;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'differences-'));
});
afterEach(() => rm(scratch, { recursive: true }));

async function folder(name: string, files: Record<string, string>): Promise<string> {
  const path = join(scratch, name);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(path, file, '..'), { recursive: true });
    await writeFile(join(path, file), text);
  }
  return path;
}

test('finds nothing between equal folders', async () => {
  const files = { 'a.ts': 'a', 'b/c.ts': 'c' };
  expect(await differences(await folder('x', files), await folder('y', files))).toEqual([]);
});

test('finds files that changed, are missing, or do not belong', async () => {
  const expected = await folder('x', { 'a.ts': 'a', 'b.ts': 'b', 'same.ts': '' });
  const actual = await folder('y', { 'a.ts': 'a ', 'c.ts': 'c', 'same.ts': '' });
  expect(await differences(expected, actual)).toEqual([
    { file: 'a.ts', what: 'differs from what the spec says' },
    { file: 'b.ts', what: 'is missing' },
    { file: 'c.ts', what: 'does not belong here' },
  ]);
});
