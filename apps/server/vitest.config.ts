import { testConfig } from '@petstore/testing/vitest';

export default testConfig({ postgres: true, isolate: false });
