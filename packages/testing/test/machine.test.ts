import { beforeEach, expect, test, vi } from 'vitest';
import { freePort, missingProgram, skips } from '../src/machine.ts';

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
beforeEach(() => {
  warn.mockClear();
  vi.stubEnv('CI', '');
  return () => vi.unstubAllEnvs();
});

test('a test without a reason is not skipped', () => {
  expect(skips('TLS', undefined, 'openssl')).toBe(false);
  expect(warn).not.toHaveBeenCalled();
});

test('a skip prints one line that begins with SKIPPED, and names the packages that would help', () => {
  expect(skips('TLS', 'openssl does not run here', 'openssl')).toBe(true);
  expect(skips('A full disk', 'only root may mount')).toBe(true);
  expect(warn.mock.calls).toEqual([
    ['SKIPPED: TLS: openssl does not run here; install openssl'],
    ['SKIPPED: A full disk: only root may mount'],
  ]);
});

test('CI skips only what no package would enable', () => {
  vi.stubEnv('CI', 'true');
  expect(() => skips('TLS', 'openssl does not run here', 'openssl')).toThrow('Install openssl');
  expect(skips('A full disk', 'only root may mount')).toBe(true);
});

test('a program that can be run is not missing', () => {
  expect(missingProgram(process.execPath)).toBeUndefined();
  expect(missingProgram(process.execPath, ['--no-such-flag'])).toBe(`${process.execPath} does not run here`);
  expect(missingProgram('no-such-program')).toBe('no-such-program does not run here');
});

test('a free port is outside the ephemeral range', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(Math.max(...ports)).toBeLessThan(32_768);
});
