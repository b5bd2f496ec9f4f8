import { randomUUID } from 'node:crypto';
import type { Pet } from '@petstore/types';
import type { Kept, KeptAnimals } from '../store.ts';
import { rememberFullPages } from './full-pages.ts';
import type { Shelves, Stretch } from './shelves.ts';

/** The animals of a stretch, if there is one. */
export function petsOf(stretch: Stretch | undefined): Pet[] {
  return stretch ? JSON.parse(`[${textOf(stretch, 'utf8')}]`) : [];
}

/** The shelves' own texts. Nothing on them is ever changed, only added to, so how many there are tells the version. */
export function keptOn(shelves: Shelves): Kept {
  const run = randomUUID().slice(0, 8);
  return {
    version: () => `${run}-${shelves.next}`,
    get: (id) => {
      const stretch = shelves.find(id);
      return stretch && { text: textOf(stretch), count: 1, last: id };
    },
    list: rememberFullPages((page) => listed(shelves.page(page))),
  };
}

function listed(stretches: Stretch[]): KeptAnimals {
  let text = '';
  let count = 0;
  for (const stretch of stretches) {
    text += `${text && ',\n'}${textOf(stretch)}`;
    count += stretch.to - stretch.from;
  }
  const end = stretches.at(-1);
  return { text: `[${text}]`, count, last: end ? end.shelf.first + end.to - 1 : 0 };
}

function textOf({ shelf, from, to }: Stretch, encoding: 'utf8' | 'latin1' = 'latin1'): string {
  return shelf.text(encoding, from, to);
}
