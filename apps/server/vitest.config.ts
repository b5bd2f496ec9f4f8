import { defineConfig } from 'vitest/config';

// No test is about time: a slow machine is no fault, a test that hangs is.
export default defineConfig({
  test: { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 30_000 } } },
});
