import { newFolder } from '@petstore/testing';
import { expect, test, vi } from 'vitest';
import { defaultConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/kinds.ts';
import { keyCheck, openKeys } from '../../src/keys/check-keys.ts';
import { parseKeys } from '../../src/keys/parse-keys.ts';

test('names each key, or numbers it', () => {
  const check = keyCheck(parseKeys('one-key-without-a-name, ci=another-key-for-ci ,padded=c2VjcmV0IHNlY3JldA=='));
  expect(check('one-key-without-a-name')).toBe('key-1');
  expect(check('another-key-for-ci')).toBe('ci');
  expect(check('c2VjcmV0IHNlY3JldA==')).toBe('padded');
  for (const wrong of ['', 'ci', 'key-1', 'ci=another-key-for-ci', 'another-key-for-c', 'ANOTHER-KEY-FOR-CI']) {
    expect(check(wrong)).toBeUndefined();
  }
});

test.each([
  ['nothing', '', 'entry 1 is empty'],
  ['a comma at the end', 'SECRET-one,', 'entry 2 is empty'],
  ['a name without a key', 'ci=', "entry 1 ends in '=': add the key, or a name before a key that ends in '='; write"],
  ['a padded key without a name, which would become a name', 'SECRET-one,SECRET==', "entry 2 ends in '='"],
  ['a key without a name before it', '=SECRET', "entry 1 has an invalid name before '='"],
  ['an invalid name', 'SECRET/SECRET=SECRET', "entry 1 has an invalid name before '='"],
  ['a space in a key', 'SECRET SECRET', 'entry 1 has a space'],
  ['a letter outside ASCII', 'SECRET-é', 'entry 1 has a space, or a character that is not printable ASCII'],
  ['a name twice', 'ci=SECRET-one,ci=SECRET-two', "entry 2 has the same name 'ci'"],
  ['a key twice', 'a=SECRET-one,b=SECRET-one', "entry 2 is the same key as 'a'"],
])('rejects %s without showing a key', (_what, list, finding) => {
  const config = () => defaultConfig({ apiKeys: list });
  expect(config).toThrow(ConfigError);
  expect(config).toThrow(`PETSTORE_API_KEYS: ${finding}`);
  expect(config).not.toThrow('SECRET');
});

test('names the variable only for keys that come from it', () => {
  expect(() => parseKeys('')).toThrow(/^API keys: entry 1 is empty;/);
});

test('warns of a weak key by its name', () => {
  const report = vi.fn();
  const { check } = openKeys({ apiKeys: 'a=123456789012345,b=1234567890123456', dataDir: newFolder() }, report);
  expect(report.mock.calls).toEqual([
    ["The key 'a' is shorter than 16 characters and easy to guess; use a longer one."],
  ]);
  expect(check('123456789012345')).toBe('a');
});
