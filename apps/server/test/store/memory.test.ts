import { describe } from 'vitest';
import type { CollectionDeclaration } from '../../src/store/document.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import { storeSuite } from './store-suite.ts';

describe('the store in memory', () => {
  const fixture = { open: async (collections: readonly CollectionDeclaration[]) => memoryStore(collections) };
  storeSuite(fixture);
  idempotencySuite(fixture);
});
