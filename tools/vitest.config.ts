import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  postgres: true,
  isolate: false,
  withoutServer: [
    'test/corpus/generated.test.ts',
    'test/examples/compiles.test.ts',
    'test/generate{,-rejections}.test.ts',
    'test/packaging/packaging.test.ts',
  ],
  server: { deps: { external: [/\/generated-client-/] } },
});
