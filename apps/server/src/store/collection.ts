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

/** Texts in ascending order of their identifiers. To add or remove one in the middle of a million takes less than a millisecond. */
class SortedTexts {
  readonly #ids: number[] = [];
  readonly #texts: string[] = [];

  get isEmpty(): boolean {
    return this.#ids.length === 0;
  }

  get(id: number): string | undefined {
    const at = position(this.#ids, id);
    return this.#ids[at] === id ? this.#texts[at] : undefined;
  }

  /** Adds, replaces or removes (null) a text. */
  put(id: number, text: string | null): void {
    const [ids, texts] = [this.#ids, this.#texts];
    const at = position(ids, id);
    const known = ids[at] === id ? 1 : 0;
    if (text !== null && at === ids.length) {
      ids.push(id);
      texts.push(text);
    } else {
      ids.splice(at, known, ...(text === null ? [] : [id]));
      texts.splice(at, known, ...(text === null ? [] : [text]));
    }
  }

  /** The texts from an identifier on, until there are so many of them, or about so many characters. */
  slice(least: number, limit: number, maxSize: number): Slice {
    const [ids, texts] = [this.#ids, this.#texts];
    const found: string[] = [];
    let [size, at] = [0, position(ids, least)];
    for (; at < ids.length && found.length < limit && size < maxSize; at++) {
      const text = texts[at] as string;
      found.push(text);
      size += text.length;
    }
    return { texts: found, last: ids[at - 1] ?? least, hasMore: at < ids.length };
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
