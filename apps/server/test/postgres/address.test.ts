import { expect, test } from 'vitest';
import { ConfigError } from '../../src/config/kinds.ts';
import { openPostgresStore } from '../../src/store/open.ts';

test.each(['', 'SECRET', 'mysql://u:SECRET@h/d', 'postgres://u:SECRET@h:port/d', 'postgres://u:SECRET@one,two:x/d'])(
  '%j is rejected without repeating it',
  async (url) => {
    const error: unknown = await openPostgresStore(url).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(/DATABASE_URL is not valid/);
    expect(String(error)).not.toContain('SECRET');
  },
);

test.each([1, 0, 2.5, Number.NaN])(
  'a pool of %d connections is rejected, because one is for writes',
  async (poolSize) => {
    const opening = openPostgresStore('postgres://127.0.0.1:1/d', { poolSize });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow('poolSize');
  },
);
