import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  globalSetup: ['./test/build.ts'],
  setupFiles: ['./test/each-file.ts'],
  isolate: false,
  withoutServer: [
    'test/{completion,credentials-file,docs,errors,formats,import-outcomes}.test.ts',
    'test/{interrupted,operations,proxy,requests,settings,terminal}.test.ts',
  ],
});
