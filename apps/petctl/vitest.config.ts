import { testConfig } from '@petstore/testing/vitest';

export default testConfig(() => ({
  globalSetup: ['./test/build.ts'],
  setupFiles: ['./test/setup.ts'],
  isolate: false,
}));
