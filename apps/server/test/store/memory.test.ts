import { describe } from 'vitest';
import { memoryStore } from '../../src/store/memory.ts';
import { storeSuite } from './store-suite.ts';

describe('the store in memory', () => {
  storeSuite({ open: async (collections) => memoryStore(collections) });
});
