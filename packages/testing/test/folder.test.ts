import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../src/folder.ts';

let ofTheTestBefore: string;

test('a folder is new, and in the temporary folder of the run', () => {
  const [one, other] = [newFolder(), newFolder()];
  expect(one).not.toBe(other);
  expect(dirname(one)).toBe(tmpdir());
  writeFileSync(join(one, 'file'), '');
  ofTheTestBefore = one;
});

test('it is removed when its test ends, with all that is in it', () => {
  expect(existsSync(ofTheTestBefore)).toBe(false);
});

test('it can stay for longer than a test', () => {
  let remove = () => {};
  const folder = newFolder('name', (given) => {
    remove = given;
  });
  expect(folder).toContain('/name-');
  remove();
  expect(existsSync(folder)).toBe(false);
});
