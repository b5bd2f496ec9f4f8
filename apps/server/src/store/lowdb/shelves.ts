import type { Page } from '../store.ts';
import { statusNumber, statusNumbers } from './animal.ts';
import type { Shelf } from './shelf.ts';

/** Animals that stand side by side on a shelf. */
export interface Stretch {
  shelf: Shelf;
  from: number;
  to: number;
}

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

  /** The identifier behind the last animal. */
  get next(): number {
    return this.#shelves.at(-1)?.next ?? 1;
  }

  /** Where the animal is. */
  find(id: number): Stretch | undefined {
    const shelf = this.#shelves[this.#shelfOf(id)];
    if (!shelf || id < shelf.first || id >= shelf.next) return undefined;
    return { shelf, from: id - shelf.first, to: id - shelf.first + 1 };
  }

  /** Where the animals of a page are, in order. */
  page({ after, status, limit, maxBytes = Number.POSITIVE_INFINITY }: Page): Stretch[] {
    const found =
      status === undefined ? this.#everyOne(after, limit) : this.#withStatus(statusNumber(status), after, limit);
    return upTo(maxBytes, found);
  }

  #everyOne(after: number, limit: number): Stretch[] {
    const found: Stretch[] = [];
    let missing = limit;
    for (let at = Math.max(0, this.#shelfOf(after + 1)); missing > 0; at++) {
      const shelf = this.#shelves[at];
      if (!shelf) break;
      const from = Math.max(0, after + 1 - shelf.first);
      const to = Math.min(shelf.count, from + missing);
      if (from < to) found.push({ shelf, from, to });
      missing -= Math.max(0, to - from);
    }
    return found;
  }

  #withStatus(number: number, after: number, limit: number): Stretch[] {
    const holders = this.#holders[number] ?? [];
    const found: Stretch[] = [];
    let missing = limit;
    const start = this.#shelfOf(after + 1);
    for (let at = lowest(holders.length, (i) => (holders[i] ?? 0) >= start); missing > 0; at++) {
      const shelf = this.#shelves[holders[at] ?? -1];
      if (!shelf) break;
      for (let to = Math.max(0, after + 1 - shelf.first); missing > 0; ) {
        const from = shelf.statuses.indexOf(number, to);
        if (from < 0 || from >= shelf.count) break;
        to = from + 1;
        while (to < shelf.count && to - from < missing && shelf.statuses[to] === number) to++;
        found.push({ shelf, from, to });
        missing -= to - from;
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

/** The stretches up to the animal that brings them to so many bytes. */
function upTo(maxBytes: number, stretches: Stretch[]): Stretch[] {
  let bytes = 0;
  for (const [i, { shelf, from, to }] of stretches.entries()) {
    if (bytes + shelf.size(from, to) < maxBytes) {
      bytes += shelf.size(from, to);
      continue;
    }
    let end = from;
    for (; end < to && bytes < maxBytes; end++) bytes += shelf.size(end, end + 1);
    return [...stretches.slice(0, i), { shelf, from, to: end }];
  }
  return stretches;
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
