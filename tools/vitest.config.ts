import { testConfig } from '@petstore/testing/vitest';

export default testConfig({
  postgres: true,
  isolate: false,
  // The drift checks load edited modules through hooks of Node, which vitest's own loader would bypass.
  server: { deps: { external: [/\/tools\/(drift|generate)\//, /\/generated-client-/] } },
});
