import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/kinds.ts';
import { openPostgresStore } from '../../src/store/open.ts';
import { hostOf } from '../../src/store/postgres/connection-pool.ts';
import { hostUrls } from '../../src/store/postgres/postgres.ts';

test.each([
  ['postgres://h/d', ['postgres://h/d']],
  [
    'postgresql://u:p%40@one:5432,two/d?sslmode=verify-full&sslrootcert=/ca.pem',
    [
      'postgresql://u:p%40@one:5432/d?sslmode=verify-full&sslrootcert=/ca.pem',
      'postgresql://u:p%40@two/d?sslmode=verify-full&sslrootcert=/ca.pem',
    ],
  ],
  ['postgres://[::1]:5432,127.0.0.1', ['postgres://[::1]:5432', 'postgres://127.0.0.1']],
  ['postgres:///d?host=/var/run/postgresql', ['postgres:///d?host=/var/run/postgresql']],
])('%s has one URL per host: %j', (url, urls) => {
  expect(hostUrls(url)).toEqual(urls);
});

test.each(['', 'SECRET', 'mysql://u:SECRET@h/d', 'postgres://u:SECRET@h:port/d', 'postgres://u:SECRET@one,two:x/d'])(
  '%j is rejected without repeating it',
  async (url) => {
    const error: unknown = await openPostgresStore(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(/DATABASE_URL is not valid/);
    expect(String(error)).not.toContain('SECRET');
  },
);

test('only the host and the port of an address are shown', () => {
  expect(hostOf('postgres://u:SECRET@h:1/d?password=SECRET')).toBe('h:1');
  expect(hostOf('postgres:///d?password=SECRET')).toBe('the local socket');
});

test.each([1, 0, 2.5, Number.NaN])(
  'a pool of %d connections is rejected, because one is for writes',
  async (poolSize) => {
    const opening = openPostgresStore('postgres://127.0.0.1:1/d', { poolSize });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow('poolSize');
  },
);
