import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  globalSetup: ['./test/build.ts'],
  setupFiles: ['./test/each-file.ts'],
  isolate: false,
  withoutServer: [
    'test/{api,command-tree,completion,docs,errors,formats,import-outcomes,input-files,input-objects,input-values}.test.ts',
    'test/{interrupted,layers,long-lines,operations,proxy,requests,settings,table,terminal}.test.ts',
  ],
});
