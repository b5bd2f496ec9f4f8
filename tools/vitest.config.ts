import { testConfig } from '@petstore/testing/vitest';

export default testConfig(() => ({ isolate: false }));
