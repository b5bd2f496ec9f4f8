import { join } from 'node:path';
import { configDefaults, defineConfig, type ViteUserConfigExport } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';

export interface TestOptions extends Omit<InlineConfig, 'globalSetup'> {
  /** Modules with a `setup` for the whole run. */
  globalSetup?: string[];
  /** Whether tests use `@petstore/testing/postgres`. */
  postgres?: boolean;
  /** Test files that use nothing of the server. A task of their own runs them, which a change of the server does not repeat. */
  withoutServer?: readonly string[];
}

/**
 * What all packages' tests have in common. `vitest run` is the quick run; `vitest run --mode deep` adds `*.deep.test.ts`
 * and full lengths. `npm test` makes two quick runs where some files are `withoutServer`: `--mode server` leaves them out,
 * `--mode no-server` runs them alone. The time limit only ends tests that hang: no test asserts a duration. `isolate: false`
 * lets test files share processes, which load everything once: it is for tests that own all the state that they change.
 */
export function testConfig({
  globalSetup = [],
  postgres = false,
  withoutServer = [],
  ...test
}: TestOptions = {}): ViteUserConfigExport {
  const own = (file: string) => join(import.meta.dirname, file);
  // The processes of the tests, and those that they start, load what the last run compiled: they start in half the time.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules/.cache/compiled');
  return defineConfig(({ mode }) => {
    const timeout = mode === 'deep' ? 600_000 : 60_000;
    return {
      test: {
        include: mode === 'no-server' ? [...withoutServer] : ['test/**/*.test.ts'],
        exclude: [
          ...configDefaults.exclude,
          ...(mode === 'deep' ? [] : ['test/**/*.deep.test.ts']),
          ...(mode === 'server' ? withoutServer : []),
        ],
        env: { PETSTORE_TEST_DEEP: mode === 'deep' ? '1' : '' },
        globalSetup: [own('leftovers.ts'), ...(postgres ? [own('postgres/set-up.ts')] : []), ...globalSetup],
        maxWorkers: 2,
        testTimeout: timeout,
        hookTimeout: timeout,
        expect: { poll: { timeout } },
        ...test,
      },
    };
  });
}
