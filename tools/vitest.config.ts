import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  postgres: true,
  isolate: false,
  withoutServer: [
    'test/corpus/{corpus,generated,judge,petctl-bodies,petctl-connection,petctl-credentials,petctl-results}.test.ts',
    'test/drift/{base,breaking-changes,breaking-messages,breaking-names,breaking-schemas}.test.ts',
    'test/examples/compiles.test.ts',
    'test/generate{,-rejections}.test.ts',
    'test/packaging/packaging.test.ts',
    'test/release/licences.test.ts',
  ],
  // The drift checks load edited modules through hooks of Node, which vitest's own loader would bypass.
  server: { deps: { external: [/\/tools\/(drift|generate)\//, /\/generated-client-/] } },
});
