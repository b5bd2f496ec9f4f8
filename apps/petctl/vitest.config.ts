import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  globalSetup: ['./test/build.ts'],
  setupFiles: ['./test/each-file.ts'],
  isolate: false,
  withoutServer: [
    'test/{api,completion,docs,errors,formats,import-endings,input-files,input-objects,input-values,interrupted}.test.ts',
    'test/{json-text,layers,long-lines,proxy,sent,settings,table,terminal,tree,wire}.test.ts',
  ],
});
