import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  isolate: false,
  withoutServer: ['test/generate/*.test.ts', 'test/packaging/packaging.test.ts'],
});
