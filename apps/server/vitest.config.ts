import { testConfig } from '@petstore/testing/vitest';

// More than cores, because the longest tests wait for time-outs, databases and browsers.
export default testConfig({ postgres: true, isolate: false, maxWorkers: 3 });
