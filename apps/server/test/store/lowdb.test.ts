import { newFolder } from '@petstore/testing';
import { describe } from 'vitest';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import type { StoreFixture } from './store-fixture.ts';
import { storeSuite } from './store-suite.ts';

describe.each([
  ['with segments of the default size', {}],
  ['with segments of few records', { maxSegment: 1200 }],
])('the lowdb store %s', (_, options) => {
  let folder = '';
  const fixture: StoreFixture = {
    open: (collections) => {
      folder = newFolder();
      return openLowdbStore(folder, collections, options);
    },
    reopen: (collections) => openLowdbStore(folder, collections, options),
  };
  storeSuite(fixture);
  idempotencySuite(fixture);
});
