import { parseExact } from '@petstore/types';
import {
  type Declaration,
  filterText,
  MAX_PAGE_SIZE,
  type Page,
  type Query,
  type Reader,
  type Stored,
} from './store.ts';

/** The bytes that a document costs beside its text. */
const OVERHEAD = 128;

/** The documents of a collection in memory, in order of their identifiers, with an index for each declared filter. */
export class Documents implements Reader {
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

  get(id: number): Stored | undefined {
    const json = this.#all.get(id);
    return json === undefined ? undefined : { json };
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
    if (json === (before ?? null)) return;
    this.version++;
    this.size += sizeOf(json) - sizeOf(before);
    if (before !== undefined) this.#index(id, null, parseExact(before));
    this.#all.put(id, json);
    if (json !== null) this.#index(id, json, document ?? parseExact(json));
  }

  /** Adds a document to the indexes, or removes it (null) from them. */
  #index(id: number, json: string | null, document: unknown): void {
    for (const [property, index] of this.#indexes) {
      const value = filterText(document, property);
      if (value === undefined) continue;
      const texts = index.get(value) ?? new SortedTexts();
      texts.put(id, json);
      if (texts.isEmpty) index.delete(value);
      else index.set(value, texts);
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

interface Block {
  readonly ids: number[];
  readonly texts: string[];
}

/** Small, so that adding and removing in the middle moves few items. */
const BLOCK = 1024;

/** Texts in ascending order of their identifiers, in blocks. */
class SortedTexts {
  readonly #blocks: Block[] = [{ ids: [], texts: [] }];
  /** The least identifier that belongs into each block. */
  readonly #starts = [0];

  get isEmpty(): boolean {
    return this.#blocks[0]?.ids.length === 0;
  }

  get(id: number): string | undefined {
    const { ids, texts } = this.#blocks[this.#blockOf(id)] as Block;
    const at = position(ids, id);
    return ids[at] === id ? texts[at] : undefined;
  }

  /** Adds, replaces or removes (null) a text. */
  put(id: number, text: string | null): void {
    const number = this.#blockOf(id);
    const { ids, texts } = this.#blocks[number] as Block;
    const at = position(ids, id);
    const isThere = ids[at] === id;
    if (text === null) {
      if (isThere) this.#remove(number, at);
    } else if (isThere) {
      texts[at] = text;
    } else if (at === ids.length && ids.length < BLOCK) {
      ids.push(id);
      texts.push(text);
    } else if (ids.length < BLOCK) {
      ids.splice(at, 0, id);
      texts.splice(at, 0, text);
    } else {
      // New identifiers are usually the highest, and leave the full block as it is.
      const from = at === BLOCK ? BLOCK : BLOCK / 2;
      this.#starts.splice(number + 1, 0, ids[from] ?? id);
      this.#blocks.splice(number + 1, 0, { ids: ids.splice(from), texts: texts.splice(from) });
      this.put(id, text);
    }
  }

  #remove(number: number, at: number): void {
    const { ids, texts } = this.#blocks[number] as Block;
    ids.splice(at, 1);
    texts.splice(at, 1);
    if (ids.length > 0 || this.#blocks.length === 1) return;
    this.#blocks.splice(number, 1);
    this.#starts.splice(number, 1);
    this.#starts[0] = 0;
  }

  /** The texts from an identifier on, until there are so many of them, or about so many characters. */
  slice(least: number, limit: number, maxSize: number): Slice {
    const found: string[] = [];
    let [size, last] = [0, least];
    for (let number = this.#blockOf(least); number < this.#blocks.length; number++) {
      const { ids, texts } = this.#blocks[number] as Block;
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
