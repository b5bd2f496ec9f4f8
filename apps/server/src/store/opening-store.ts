import { StoreUnavailableError } from './errors.ts';
import type { Collection, Store } from './store.ts';

/**
 * A store that is being opened, for a server that listens meanwhile: until it is open, it is not ready, and reads and
 * writes reject with StoreUnavailableError. That opening it failed is left to whoever waits for it.
 */
export function openingStore(opened: Promise<Store>, passesJson: boolean): Store {
  let store: Store | undefined;
  opened.then(
    (one) => {
      store = one;
    },
    () => {},
  );
  return {
    passesJson,
    collection: (name) => store?.collection(name) ?? unopened,
    ready: async () => (await store?.ready()) ?? false,
    state: () => store?.state() ?? { status: 'opening' },
    idempotency: () => store?.idempotency() ?? { keys: 0, forgotten: 0 },
    close: () =>
      opened.then(
        (one) => one.close(),
        () => {},
      ),
  };
}

const reject = () => Promise.reject(new StoreUnavailableError('The store is being opened.'));
const unopened: Collection = {
  create: reject,
  replace: reject,
  remove: reject,
  restore: reject,
  get: reject,
  list: reject,
  version: () => undefined,
};
