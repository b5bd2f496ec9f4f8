import { testConfig } from '@petstore/testing/vitest';

/** The parts of the quick run. A change of what serves HTTP leaves the stores as they are. */
const parts: Record<string, string> = { http: 'test/*.test.ts', store: 'test/store/*.test.ts' };

export default testConfig(({ mode }) => ({
  include: [parts[mode] ?? 'test/**/*.test.ts'],
  postgres: mode !== 'http',
  isolate: false,
  // More than cores, because the longest tests wait for time-outs, databases and browsers.
  maxWorkers: 3,
}));
