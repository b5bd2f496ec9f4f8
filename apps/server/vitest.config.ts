import { join } from 'node:path';
import { testConfig } from '@petstore/testing/vitest';

// The server processes of the tests load what the first one compiled: they start in half the time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// More than cores, because the longest tests wait for time-outs, databases and browsers.
export default testConfig({ postgres: true, isolate: false, maxWorkers: 3 });
