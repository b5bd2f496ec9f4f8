import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { newFolder } from '@petstore/testing';
import { expect, test, vi } from 'vitest';
import { followKeys, openKeys } from '../../src/keys/check-keys.ts';
import { createKey, keysFile, revokeKey } from '../../src/keys/key-file.ts';

test('stores no key before `createFirst`, which returns the new key once', async () => {
  const folder = newFolder();
  const keys = openKeys({ apiKeys: undefined, dataDir: folder }, vi.fn());
  expect([keys.check(''), readdirSync(folder)]).toEqual([undefined, []]);
  const created = (await keys.createFirst()) ?? '';
  expect([keys.check(created), await keys.createFirst()]).toEqual(['first', undefined]);
});

test('warns when no key is left', async () => {
  const folder = newFolder();
  await createKey(folder, 'ci');
  await revokeKey(folder, 'ci');
  const report = vi.fn();
  expect(await openKeys({ apiKeys: undefined, dataDir: folder }, report).createFirst()).toBeUndefined();
  expect(report.mock.calls.flat()).toEqual([expect.stringContaining('contains no key, so no key is valid')]);
});

/** Follows the file of a folder. `known` checks the file, and returns the names of the valid keys. */
function following(folder: string) {
  const report = vi.fn();
  const followed = followKeys(keysFile(folder), report);
  const known = () => {
    followed.refresh();
    return followed.current().map(({ name }) => name);
  };
  return { known, report };
}

test('applies keys that are created and revoked after the start', async () => {
  const folder = newFolder();
  const { known, report } = following(folder);
  expect(known()).toEqual([]);
  await createKey(folder, 'a');
  expect(known()).toEqual(['a']);
  await createKey(folder, 'b');
  await revokeKey(folder, 'a');
  expect(known()).toEqual(['b']);
  expect(report).not.toHaveBeenCalled();
});

test.each<[string, (file: string) => void]>([
  ['is damaged', (file) => writeFileSync(file, '{"keys":[')],
  ['was removed', (file) => rmSync(file)],
  [
    'cannot be read (EISDIR)',
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
])('keeps the old keys while the file %s, reports it once, and retries', async (finding, harm) => {
  const folder = newFolder();
  const file = keysFile(folder);
  await createKey(folder, 'a');
  const whole = readFileSync(file);
  const { known, report } = following(folder);
  harm(file);
  expect([known(), known()]).toEqual([['a'], ['a']]);
  expect(report.mock.calls).toEqual([[expect.stringContaining(`${file} ${finding}`)]]);

  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, whole);
  await createKey(folder, 'b');
  expect(known()).toEqual(['a', 'b']);
  writeFileSync(file, '');
  expect([known(), known()]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(report).toHaveBeenCalledTimes(2);
});
