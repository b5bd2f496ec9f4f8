import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../src/folder.ts';

let ofTheTestBefore: string;

test('a folder is new, in the temporary folder of the run', () => {
  const [one, other] = [newFolder(), newFolder()];
  expect(one).not.toBe(other);
  expect(dirname(one)).toBe(tmpdir());
  writeFileSync(join(one, 'file'), '');
  ofTheTestBefore = one;
});

test('it is removed with its content when the test ends', () => {
  expect(existsSync(ofTheTestBefore)).toBe(false);
});

test('it can stay for longer than a test', () => {
  let remove = () => {};
  const folder = newFolder('name', (cleanUp) => {
    remove = cleanUp;
  });
  expect(folder).toContain('/name-');
  remove();
  expect(existsSync(folder)).toBe(false);
});
