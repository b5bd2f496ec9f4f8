import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isDeep, newFolder, rounds } from '../src/index.ts';

let previous: string;

test('a folder is new, in the temporary folder of the run', () => {
  const [one, other] = [newFolder(), newFolder()];
  expect(one).not.toBe(other);
  expect(dirname(one)).toBe(tmpdir());
  writeFileSync(join(one, 'file'), '');
  previous = one;
});

test('a folder is removed with its content when the test ends', () => {
  expect(existsSync(previous)).toBe(false);
});

test('a folder can outlive a test', () => {
  let remove = () => {};
  const folder = newFolder('name', (removeFolder) => {
    remove = removeFolder;
  });
  expect(folder).toContain('/name-');
  remove();
  expect(existsSync(folder)).toBe(false);
});

test('rounds are few unless the run is deep', () => {
  expect(rounds(1, 20)).toBe(isDeep ? 20 : 1);
});
