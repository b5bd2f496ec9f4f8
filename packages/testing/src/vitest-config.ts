import { join } from 'node:path';
import {
  type ConfigEnv,
  configDefaults,
  defineConfig,
  type ViteUserConfigExport,
} from 'vitest/config';
import type { InlineConfig } from 'vitest/node';

/** The options of a package's tests, and those of vitest. */
export interface TestOptions extends Omit<InlineConfig, 'globalSetup'> {
  /** Modules with a `setup` for the whole run. */
  globalSetup?: string[];
  /** Whether the tests use `@petstore/testing/postgres`. */
  postgres?: boolean;
}

/**
 * The time limit of a test, in milliseconds. It only ends tests that hang: no test asserts a
 * duration. The slowest test of the quick run takes a few seconds, and has to pass on a machine that
 * is eight times slower and busy with other work.
 */
const TIME_LIMIT = { quick: 480_000, deep: 1_800_000 };

/**
 * The vitest configuration of all packages. The mode `deep` selects all test files, at full length;
 * any other mode leaves out `*.deep.test.ts`.
 *
 * With `isolate: false`, test files share processes, which load everything once. Then each test must
 * own all the state that it changes.
 */
export function testConfig(
  optionsFor: (env: ConfigEnv) => TestOptions = () => ({}),
): ViteUserConfigExport {
  // The processes of the tests load the code that the last run compiled: they start in half the time.
  process.env.NODE_COMPILE_CACHE ??= join(process.cwd(), 'node_modules/.cache/compiled');
  // The Node of the test processes, for which vitest has no option. Deep tests of the
  // packages set the variable to the oldest supported Node.
  process.execPath = process.env.PETSTORE_TEST_NODE ?? process.execPath;
  return defineConfig((env) => {
    const { globalSetup = [], postgres = false, ...test } = optionsFor(env);
    const isDeep = env.mode === 'deep';
    const timeout = isDeep ? TIME_LIMIT.deep : TIME_LIMIT.quick;
    const excluded = isDeep ? [] : ['test/**/*.deep.test.ts'];
    return {
      test: {
        include: ['test/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...excluded],
        env: { PETSTORE_TEST_DEEP: isDeep ? '1' : '' },
        globalSetup: [...setups(postgres), ...globalSetup],
        maxWorkers: 2,
        testTimeout: timeout,
        hookTimeout: timeout,
        expect: { poll: { timeout } },
        ...test,
      },
    };
  });
}

function setups(postgres: boolean): string[] {
  const modules = postgres ? ['leftovers.ts', 'postgres.ts'] : ['leftovers.ts'];
  return modules.map((name) => join(import.meta.dirname, name));
}
