import { join } from 'node:path';
import { defineConfig, type ViteUserConfigExport } from 'vitest/config';

export interface TestOptions {
  /** Further modules that are run before all tests. */
  globalSetup?: string[];
  /** Whether each file gets a process of its own; if not, files share what they import, which saves its start. */
  isolate?: boolean;
}

/**
 * What all packages' tests have in common. `vitest run` is the quick run; `vitest run --mode deep` adds `*.deep.test.ts`
 * and full lengths. The time limit only ends tests that hang: no test asserts a duration.
 */
export function testConfig({ globalSetup = [], isolate = true }: TestOptions = {}): ViteUserConfigExport {
  return defineConfig(({ mode }) => ({
    test: {
      include: ['test/**/*.test.ts'],
      exclude: mode === 'deep' ? [] : ['test/**/*.deep.test.ts'],
      env: { PETSTORE_TEST_DEEP: mode === 'deep' ? '1' : '' },
      globalSetup: [join(import.meta.dirname, 'leftovers.ts'), ...globalSetup],
      isolate,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  }));
}
