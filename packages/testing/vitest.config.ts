import { testConfig } from './src/vitest-config.ts';

export default testConfig({ postgres: true });
