import { parseExact } from '@petstore/types';
import { type Declaration, filterText, MAX_PAGE_SIZE, type Page, type Query } from './store.ts';

/** The bytes that a document costs beside its text. */
const OVERHEAD = 128;

/** The documents of a collection in memory, in order of their identifiers, with an index for each declared filter. */
export class Documents {
  readonly declaration: Declaration;
  /** The identifier that the next document gets. */
  nextId = 1;
  /** Changes with every write. */
  version = 0;
  /** About how much memory the documents need. */
  size = 0;
  readonly #all = new SortedTexts();
  /** By filter and value, the documents that have it. */
  readonly #indexes: ReadonlyMap<string, Map<string, SortedTexts>>;

  constructor(declaration: Declaration) {
    this.declaration = declaration;
    this.#indexes = new Map(declaration.filters.map((property) => [property, new Map()]));
  }

  get(id: number): string | undefined {
    return this.#all.get(id);
  }

  /** The documents from an identifier on, until they have about so many characters. */
  slice(least: number, maxSize: number): Slice {
    return this.#all.slice(least, Number.POSITIVE_INFINITY, maxSize);
  }

  list({ after, limit, filter }: Query): Page {
    const source = filter ? this.#indexes.get(filter.property)?.get(filter.value) : this.#all;
    if (!source) return { json: '[]' };
    const { texts, last, hasMore } = source.slice(after + 1, limit, MAX_PAGE_SIZE);
    const json = `[${texts.join(',')}]`;
    return hasMore ? { json, next: last } : { json };
  }

  /** Adds, replaces or removes (null) a document. `document` is the parsed JSON, if it is known. */
  put(id: number, json: string | null, document?: object): void {
    const before = this.#all.get(id);
    if (id >= this.nextId) this.nextId = id + 1;
    if (json === before) return;
    this.version++;
    this.size += sizeOf(json) - sizeOf(before);
    if (before !== undefined) this.#index(id, null, parseExact(before));
    if (json === null) {
      this.#all.delete(id);
      return;
    }
    this.#all.set(id, json);
    this.#index(id, json, document ?? parseExact(json));
  }

  /** Adds a document to the indexes, or removes it (null) from them. */
  #index(id: number, json: string | null, document: unknown): void {
    for (const [property, index] of this.#indexes) {
      const value = filterText(document, property);
      if (value === undefined) continue;
      const texts = index.get(value) ?? new SortedTexts();
      if (json === null) texts.delete(id);
      else texts.set(id, json);
      if (texts.count === 0) index.delete(value);
      else if (texts.count === 1) index.set(value, texts);
    }
  }
}

export function sizeOf(json: string | null | undefined): number {
  return json == null ? 0 : json.length + OVERHEAD;
}

interface Slice {
  readonly texts: string[];
  /** The identifier of the last text. */
  readonly last: number;
  readonly hasMore: boolean;
}

/** Small, so that adding and removing in the middle moves few items. */
const BLOCK = 1024;

/** Texts in ascending order of their identifiers, in blocks. */
class SortedTexts {
  readonly #blocks: { ids: number[]; texts: string[] }[] = [{ ids: [], texts: [] }];
  /** The least identifier that belongs into each block. */
  readonly #starts = [0];
  count = 0;

  get(id: number): string | undefined {
    const { ids, texts } = this.#block(this.#blockOf(id));
    const at = position(ids, id);
    return ids[at] === id ? texts[at] : undefined;
  }

  set(id: number, text: string): void {
    const number = this.#blockOf(id);
    const { ids, texts } = this.#block(number);
    const at = position(ids, id);
    if (ids[at] === id) {
      texts[at] = text;
      return;
    }
    if (ids.length === BLOCK) {
      // New identifiers are usually the highest, and leave the full block as it is.
      const from = at === BLOCK ? BLOCK : BLOCK / 2;
      this.#starts.splice(number + 1, 0, ids[from] ?? id);
      this.#blocks.splice(number + 1, 0, { ids: ids.splice(from), texts: texts.splice(from) });
      this.set(id, text);
      return;
    }
    this.count++;
    if (at === ids.length) {
      ids.push(id);
      texts.push(text);
    } else {
      ids.splice(at, 0, id);
      texts.splice(at, 0, text);
    }
  }

  delete(id: number): void {
    const number = this.#blockOf(id);
    const { ids, texts } = this.#block(number);
    const at = position(ids, id);
    if (ids[at] !== id) return;
    this.count--;
    ids.splice(at, 1);
    texts.splice(at, 1);
    if (ids.length > 0 || number === 0) return;
    this.#blocks.splice(number, 1);
    this.#starts.splice(number, 1);
  }

  /** The texts from an identifier on, until there are so many of them, or about so many characters. */
  slice(least: number, limit: number, maxSize: number): Slice {
    const found: string[] = [];
    let [size, last] = [0, least];
    for (let number = this.#blockOf(least); number < this.#blocks.length; number++) {
      const { ids, texts } = this.#block(number);
      for (let at = position(ids, least); at < ids.length; at++) {
        if (found.length >= limit || size >= maxSize) return { texts: found, last, hasMore: true };
        const text = texts[at] as string;
        found.push(text);
        size += text.length;
        last = ids[at] as number;
      }
    }
    return { texts: found, last, hasMore: false };
  }

  #block(number: number) {
    return this.#blocks[number] as { ids: number[]; texts: string[] };
  }

  #blockOf(id: number): number {
    return Math.max(0, position(this.#starts, id + 1) - 1);
  }
}

/** The position of the first identifier that is at least `id`. */
function position(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  if (high === 0 || (ids[high - 1] as number) < id) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
