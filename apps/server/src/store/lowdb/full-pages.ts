import type { KeptAnimals, Page } from '../store.ts';

const most = 256;
const enoughText = 2 ** 16;

/**
 * Remembers the full pages that were asked for lately. They are right for good: animals are only ever added, behind them.
 * Where statuses lie mixed, putting a page together takes as long as all the rest of answering it.
 */
export function rememberFullPages(find: (page: Page) => KeptAnimals): (page: Page) => KeptAnimals {
  const full = new Map<string, KeptAnimals>();
  return (page) => {
    const name = `${page.after} ${page.limit} ${page.status}`;
    const known = full.get(name);
    if (known) return known;
    const found = find(page);
    if (found.count === page.limit && found.text.length <= enoughText) {
      const [oldest] = full.size < most ? [] : full.keys();
      if (oldest !== undefined) full.delete(oldest);
      full.set(name, found);
    }
    return found;
  };
}
