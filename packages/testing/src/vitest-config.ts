import { join } from 'node:path';
import { configDefaults, defineConfig, type ViteUserConfigExport } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';

/** The options of a package's tests, and those of vitest. */
export interface TestOptions extends Omit<InlineConfig, 'globalSetup'> {
  /** Modules with a `setup` for the whole run. */
  globalSetup?: string[];
  /** Whether the tests use `@petstore/testing/postgres`. */
  postgres?: boolean;
  /** Test files that do not use the server. A separate task runs them, so a change of the server does not repeat them. */
  withoutServer?: readonly string[];
}

/**
 * The vitest configuration of all packages. `vitest run` is the quick run; `vitest run --mode deep` adds `*.deep.test.ts` and
 * full lengths. If some files are `withoutServer`, `npm test` makes two quick runs: `--mode server` excludes them, `--mode
 * no-server` runs only them. The time limit only ends tests that hang: no test asserts a duration. With `isolate: false`, test
 * files share processes, which load everything once; their tests must own all the state that they change.
 */
export function testConfig(options: TestOptions = {}): ViteUserConfigExport {
  const { globalSetup = [], postgres = false, withoutServer = [], ...test } = options;
  const own = (file: string) => join(import.meta.dirname, file);
  // The processes of the tests load the code that the last run compiled, which halves the time that they need to start.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules/.cache/compiled');
  // The Node of the test processes, for which vitest has no option. Deep tests of the packages set the variable to the oldest supported Node.
  process.execPath = process.env.PETSTORE_TEST_NODE ?? process.execPath;
  return defineConfig(({ mode }) => {
    const timeout = mode === 'deep' ? 600_000 : 60_000;
    const left = [
      ...(mode === 'deep' ? [] : ['test/**/*.deep.test.ts']),
      ...(mode === 'server' ? withoutServer : []),
    ];
    return {
      test: {
        include: mode === 'no-server' ? [...withoutServer] : ['test/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...left],
        env: { PETSTORE_TEST_DEEP: mode === 'deep' ? '1' : '' },
        globalSetup: [
          own('leftovers.ts'),
          ...(postgres ? [own('postgres.ts')] : []),
          ...globalSetup,
        ],
        maxWorkers: 2,
        testTimeout: timeout,
        hookTimeout: timeout,
        expect: { poll: { timeout } },
        ...test,
      },
    };
  });
}
