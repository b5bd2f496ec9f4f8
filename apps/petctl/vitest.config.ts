import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  globalSetup: ['./test/build.ts'],
  setupFiles: ['./test/each-file.ts'],
  isolate: false,
  withoutServer: ['test/{completion,docs,json-text,proxy,refusals,sent,settings,table,tree,wire}.test.ts'],
});
