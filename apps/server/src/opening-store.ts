import { unavailable } from './errors.ts';
import type { Store } from './store/store.ts';

/** A store that may still be being opened. */
export class OpeningStore {
  #store: Store | undefined;
  /** Resolves when the store is open. */
  readonly opened: Promise<Store>;

  constructor(store: Store | Promise<Store>) {
    this.opened = Promise.resolve(store);
    this.opened.then(
      (opened) => {
        this.#store = opened;
      },
      () => {
        // It stays closed. Whoever opens it reports why.
      },
    );
  }

  /** The store; undefined until it is open. */
  get current(): Store | undefined {
    return this.#store;
  }

  /** The store. Throws a 503 until it is open. */
  get(): Store {
    if (!this.#store) throw unavailable('The store is still being opened. Retry later.');
    return this.#store;
  }
}
