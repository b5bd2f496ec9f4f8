import { join } from 'node:path';
import { configDefaults, defineConfig, type ViteUserConfigExport } from 'vitest/config';

export interface TestOptions {
  /** Modules with a `setup` for the whole run. */
  globalSetup?: string[];
  /** Modules that run before each test file. */
  setupFiles?: string[];
  /** Whether tests use `@petstore/testing/postgres`. */
  postgres?: boolean;
  /** False where test files share processes, which load everything once: their tests own all state that they change. */
  isolate?: boolean;
  /** How many test files run at once. */
  maxWorkers?: number;
}

/**
 * What all packages' tests have in common. `vitest run` is the quick run; `vitest run --mode deep` adds `*.deep.test.ts`
 * and full lengths. The time limit only ends tests that hang: no test asserts a duration.
 */
export function testConfig({
  globalSetup = [],
  setupFiles = [],
  postgres = false,
  isolate = true,
  maxWorkers = 2,
}: TestOptions = {}): ViteUserConfigExport {
  const own = (file: string) => join(import.meta.dirname, file);
  return defineConfig(({ mode }) => {
    const timeout = mode === 'deep' ? 600_000 : 60_000;
    return {
      test: {
        include: ['test/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...(mode === 'deep' ? [] : ['test/**/*.deep.test.ts'])],
        env: { PETSTORE_TEST_DEEP: mode === 'deep' ? '1' : '' },
        globalSetup: [own('leftovers.ts'), ...(postgres ? [own('postgres/set-up.ts')] : []), ...globalSetup],
        setupFiles,
        isolate,
        maxWorkers,
        testTimeout: timeout,
        hookTimeout: timeout,
        expect: { poll: { timeout } },
      },
    };
  });
}
