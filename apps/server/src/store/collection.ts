import { parseExact } from '@petstore/types';
import { sizeOf } from './commit-plan.ts';
import {
  type Declaration,
  type Filters,
  filterText,
  MAX_PAGE_SIZE,
  type Query,
  StoredDocument,
  StoredPage,
  StoreError,
} from './store.ts';

/** The documents of a collection in memory, with an index for each declared filter. */
export class MemoryCollection {
  readonly declaration: Declaration;
  /** The identifier that the next document gets. */
  nextId = 1;
  /** About how much memory the documents need. */
  size = 0;
  readonly #documents = new SortedTexts();
  /** By filter and value, the documents that have it. */
  readonly #indexes = new Map<string, Map<string, SortedTexts>>();

  constructor(declaration: Declaration) {
    this.declaration = declaration;
    for (const property of declaration.filters) this.#indexes.set(property, new Map());
  }

  get count(): number {
    return this.#documents.count;
  }

  text(id: number): string | undefined {
    return this.#documents.get(id);
  }

  get(id: number): StoredDocument | undefined {
    const json = this.#documents.get(id);
    return json === undefined ? undefined : new StoredDocument(json);
  }

  list({ after, limit, filters = {} }: Query): StoredPage {
    const matching = this.#matching(filters);
    let smallest = this.#documents;
    for (const one of matching) if (one.count <= smallest.count) smallest = one;
    const isInAll = (id: number) => matching.every((one) => one === smallest || one.has(id));
    const { texts, next } = smallest.slice(after + 1, limit, MAX_PAGE_SIZE, isInAll);
    return new StoredPage(`[${texts.join(',')}]`, next);
  }

  /** The texts from an identifier on, for a snapshot. */
  slice(least: number, maxSize: number): Slice {
    return this.#documents.slice(least, Number.POSITIVE_INFINITY, maxSize);
  }

  /** Adds or replaces a document. */
  put(id: number, json: string, document: object): void {
    const before = this.#documents.get(id);
    this.#raiseNextId(id);
    if (json === before) return;
    if (before !== undefined) this.#unindex(id, before);
    this.size += sizeOf(json) - sizeOf(before);
    this.#documents.set(id, json);
    for (const [property, index] of this.#indexes) {
      const value = filterText(document, property);
      if (value === undefined) continue;
      const texts = index.get(value) ?? new SortedTexts();
      texts.set(id, json);
      index.set(value, texts);
    }
  }

  /** Removes a document if it is there. */
  remove(id: number): void {
    const before = this.#documents.get(id);
    this.#raiseNextId(id);
    if (before === undefined) return;
    this.#unindex(id, before);
    this.size -= sizeOf(before);
    this.#documents.delete(id);
  }

  #raiseNextId(id: number): void {
    if (id >= this.nextId) this.nextId = id + 1;
  }

  #unindex(id: number, before: string): void {
    const document = parseExact(before);
    for (const [property, index] of this.#indexes) {
      const value = filterText(document, property);
      const texts = value === undefined ? undefined : index.get(value);
      if (value === undefined || !texts) continue;
      texts.delete(id);
      if (texts.count === 0) index.delete(value);
    }
  }

  /** For each filter, the documents that have its value. */
  #matching(filters: Filters): SortedTexts[] {
    const found: SortedTexts[] = [];
    for (const [property, value] of Object.entries(filters)) {
      const index = this.#indexes.get(property);
      if (!index)
        throw new StoreError(
          `The collection '${this.declaration.name}' has no filter '${property}'.`,
        );
      found.push(index.get(String(value)) ?? NOTHING);
    }
    return found;
  }
}

export interface Slice {
  readonly texts: string[];
  /** The identifier of the last text, if there are more texts. */
  readonly next: number | undefined;
}

/**
 * Texts in ascending order of their identifiers. To add or remove one in the middle of a million
 * takes less than a millisecond.
 */
class SortedTexts {
  readonly #ids: number[] = [];
  readonly #texts: string[] = [];

  get count(): number {
    return this.#ids.length;
  }

  has(id: number): boolean {
    return this.#ids[this.#position(id)] === id;
  }

  get(id: number): string | undefined {
    const at = this.#position(id);
    return this.#ids[at] === id ? this.#texts[at] : undefined;
  }

  /** Adds or replaces a text. */
  set(id: number, text: string): void {
    const at = this.#position(id);
    if (at === this.#ids.length) {
      this.#ids.push(id);
      this.#texts.push(text);
    } else if (this.#ids[at] === id) {
      this.#texts[at] = text;
    } else {
      this.#ids.splice(at, 0, id);
      this.#texts.splice(at, 0, text);
    }
  }

  delete(id: number): void {
    const at = this.#position(id);
    if (this.#ids[at] !== id) return;
    this.#ids.splice(at, 1);
    this.#texts.splice(at, 1);
  }

  /**
   * The wanted texts from an identifier on, until there are so many of them, or about so many
   * characters.
   */
  slice(least: number, limit: number, maxSize: number, isWanted?: (id: number) => boolean): Slice {
    const texts: string[] = [];
    let size = 0;
    let last = least;
    for (let at = this.#position(least); at < this.#ids.length; at++) {
      const id = this.#ids[at] as number;
      if (isWanted && !isWanted(id)) continue;
      if (texts.length === limit || size >= maxSize) return { texts, next: last };
      const text = this.#texts[at] as string;
      texts.push(text);
      size += text.length;
      last = id;
    }
    return { texts, next: undefined };
  }

  /** The position of the first identifier that is at least `id`. */
  #position(id: number): number {
    const ids = this.#ids;
    let low = 0;
    let high = ids.length;
    // Most texts are added at the end.
    if (high === 0 || (ids[high - 1] as number) < id) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ids[middle] as number) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const NOTHING = new SortedTexts();
