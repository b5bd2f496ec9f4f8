import { Low } from 'lowdb';
import type { Ground } from './commits.ts';
import { OpenSegment, type Texts } from './open-segment.ts';
import type { FullSegment, Sealing } from './sealing.ts';
import { mostAnimals, Shelf } from './shelf.ts';
import type { Shelves } from './shelves.ts';

/** The end of the store, where it grows: the open segment, and a new one behind it whenever it is full. */
export class Growth implements Ground {
  readonly #folder: string;
  readonly #shelves: Shelves;
  readonly #sealing: Sealing;
  #shelf: Shelf;
  #segment: OpenSegment;
  #low: Low<Texts>;
  /** Full, but without a segment behind it on disk yet. */
  #left: FullSegment | undefined;

  constructor(folder: string, shelves: Shelves, sealing: Sealing, { shelf, segment }: FullSegment) {
    this.#folder = folder;
    this.#shelves = shelves;
    this.#sealing = sealing;
    this.#shelf = shelf;
    this.#segment = segment;
    this.#low = new Low<Texts>(segment, []);
  }

  get next(): number {
    return this.#shelf.next;
  }

  get room(): number {
    return this.#shelf.full ? mostAnimals : mostAnimals - this.#shelf.count;
  }

  /** Keeps the animals on disk; only then they can be read. */
  async append(texts: Texts): Promise<void> {
    if (this.#shelf.full) this.#turn();
    this.#low.data = texts;
    await this.#low.write();
    for (const text of texts) this.#shelves.add(text);
    if (this.#left) this.#sealing.add(this.#left);
    this.#left = undefined;
  }

  async close(): Promise<void> {
    await this.#segment.close();
  }

  #turn(): void {
    this.#left = { segment: this.#segment, shelf: this.#shelf };
    this.#shelf = new Shelf(this.#shelf.next);
    this.#shelves.put(this.#shelf);
    this.#segment = new OpenSegment(this.#folder, this.#shelf.first);
    this.#low = new Low<Texts>(this.#segment, []);
  }
}
