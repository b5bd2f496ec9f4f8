import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // No test is about time: a slow machine is no fault, a test that hangs is.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The drift checks load edited modules through hooks of Node, which vitest's own loader would bypass.
    server: { deps: { external: [/\/tools\/(drift|generate)\//] } },
  },
});
