import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  globalSetup: ['./test/build.ts'],
  setupFiles: ['./test/each-file.ts'],
  isolate: false,
  withoutServer: ['test/{api,completion,docs,json-text,layers,proxy,refusals,sent,settings,table,tree,wire}.test.ts'],
});
