import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  isolate: false,
  withoutServer: [
    'test/deploy/workflows.test.ts',
    'test/docs/promises.test.ts',
    'test/drift.test.ts',
    'test/generate/*.test.ts',
    'test/lint.test.ts',
    'test/packaging/packaging.test.ts',
  ],
});
