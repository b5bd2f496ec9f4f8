import type { Pet } from '@petstore/types';
import type { Page } from '../store.ts';
import { statusNumber, statusNumbers } from './animal.ts';
import type { Shelf } from './shelf.ts';

/** Every animal that can be read: shelf behind shelf, in ascending order of identifiers. */
export class Shelves {
  readonly #shelves: Shelf[] = [];
  /** For each status number the shelves that hold such an animal, ascending. */
  readonly #holders: number[][] = Array.from({ length: statusNumbers }, () => []);

  /** Puts up one more shelf behind the others. Only the last one may still grow. */
  put(shelf: Shelf): void {
    this.#shelves.push(shelf);
    for (let i = 0; i < shelf.count; i++) this.#index(shelf.statuses[i]);
  }

  /** Adds an animal to the last shelf. */
  add(text: string): void {
    const shelf = this.#shelves.at(-1);
    if (!shelf) throw new Error('there is no shelf to add to');
    shelf.add(text);
    this.#index(shelf.statuses[shelf.count - 1]);
  }

  get(id: number): Pet | undefined {
    const shelf = this.#shelves[this.#shelfOf(id)];
    if (!shelf || id < shelf.first || id >= shelf.next) return undefined;
    return shelf.pets(id - shelf.first, id - shelf.first + 1)[0];
  }

  list({ after, status, limit }: Page): Pet[] {
    return status === undefined ? this.#everyOne(after, limit) : this.#withStatus(statusNumber(status), after, limit);
  }

  #everyOne(after: number, limit: number): Pet[] {
    const found: Pet[] = [];
    for (let at = Math.max(0, this.#shelfOf(after + 1)); found.length < limit; at++) {
      const shelf = this.#shelves[at];
      if (!shelf) break;
      const from = Math.max(0, after + 1 - shelf.first);
      const to = Math.min(shelf.count, from + limit - found.length);
      if (from < to) found.push(...shelf.pets(from, to));
    }
    return found;
  }

  #withStatus(number: number, after: number, limit: number): Pet[] {
    const holders = this.#holders[number] ?? [];
    const found: Pet[] = [];
    const start = this.#shelfOf(after + 1);
    for (let at = lowest(holders.length, (i) => (holders[i] ?? 0) >= start); found.length < limit; at++) {
      const shelf = this.#shelves[holders[at] ?? -1];
      if (!shelf) break;
      let place = shelf.statuses.indexOf(number, Math.max(0, after + 1 - shelf.first));
      while (place >= 0 && found.length < limit) {
        found.push(...shelf.pets(place, place + 1));
        place = shelf.statuses.indexOf(number, place + 1);
      }
    }
    return found;
  }

  /** The last shelf that begins at or before the identifier, -1 for none. */
  #shelfOf(id: number): number {
    return lowest(this.#shelves.length, (i) => (this.#shelves[i]?.first ?? 0) > id) - 1;
  }

  #index(number = 0): void {
    const holders = this.#holders[number];
    const last = this.#shelves.length - 1;
    if (holders && holders.at(-1) !== last) holders.push(last);
  }
}

/** The lowest number below `count` that passes a test which, once passed, all higher ones pass too; `count` if none does. */
function lowest(count: number, passes: (i: number) => boolean): number {
  let low = 0;
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
