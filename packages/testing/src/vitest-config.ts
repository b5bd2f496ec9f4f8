import { join } from 'node:path';
import { configDefaults, defineConfig, type ViteUserConfigExport } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';

export interface TestOptions extends Omit<InlineConfig, 'globalSetup'> {
  /** Modules with a `setup` for the whole run. */
  globalSetup?: string[];
}

/**
 * What all packages' tests have in common. `vitest run` is the quick run; `vitest run --mode deep` adds `*.deep.test.ts`
 * and full lengths. The time limit only ends tests that hang: no test asserts a duration.
 */
export function testConfig({ globalSetup = [], ...test }: TestOptions = {}): ViteUserConfigExport {
  const own = (file: string) => join(import.meta.dirname, file);
  return defineConfig(({ mode }) => ({
    test: {
      include: ['test/**/*.test.ts'],
      exclude: [...configDefaults.exclude, ...(mode === 'deep' ? [] : ['test/**/*.deep.test.ts'])],
      env: { PETSTORE_TEST_DEEP: mode === 'deep' ? '1' : '' },
      globalSetup: [own('leftovers.ts'), ...globalSetup],
      testTimeout: 60_000,
      hookTimeout: 60_000,
      ...test,
    },
  }));
}
