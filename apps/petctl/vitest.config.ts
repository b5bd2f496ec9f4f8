import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  globalSetup: ['./test/build.ts'],
  setupFiles: ['./test/setup.ts'],
  isolate: false,
  withoutServer: [
    'completion',
    'environment',
    'errors',
    'formats',
    'operations',
    'process',
    'round-trip',
  ].map((name) => `test/${name}.test.ts`),
});
