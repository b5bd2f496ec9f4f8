import { testConfig } from '@petstore/testing/vitest';

export default testConfig({ globalSetup: ['./test/build.ts'] });
