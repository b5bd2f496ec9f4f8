import { parseExact } from '@petstore/types';
import { Sorted } from './sorted.ts';
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
  readonly #json = new Sorted<string>();
  /** By filter and value, the identifiers of the documents that have it. */
  readonly #indexes: ReadonlyMap<string, Map<string, Sorted<true>>>;

  constructor(declaration: Declaration) {
    this.declaration = declaration;
    this.#indexes = new Map(declaration.filters.map((property) => [property, new Map()]));
  }

  get(id: number): string | undefined {
    return this.#json.get(id);
  }

  /** The documents from an identifier on, until they have about so many characters. */
  slice(least: number, maxSize: number): (readonly [id: number, json: string])[] {
    const slice: (readonly [number, string])[] = [];
    let size = 0;
    for (const item of this.#json.from(least)) {
      slice.push(item);
      size += item[1].length;
      if (size >= maxSize) break;
    }
    return slice;
  }

  /** Adds, replaces or removes (null) a document. `document` is the parsed JSON, if it is known. */
  put(id: number, json: string | null, document?: object): void {
    const before = this.#json.get(id);
    if (before !== undefined) this.#index(id, parseExact(before), false);
    this.version++;
    this.size += sizeOf(json) - sizeOf(before);
    if (id >= this.nextId) this.nextId = id + 1;
    if (json === null) {
      this.#json.delete(id);
      return;
    }
    this.#json.set(id, json);
    if (this.#indexes.size > 0) this.#index(id, document ?? parseExact(json), true);
  }

  list({ after, limit, filter }: Query): Page {
    const source = filter ? this.#indexes.get(filter.property)?.get(filter.value) : this.#json;
    const found: string[] = [];
    let size = 0;
    let last = after;
    for (const [id] of source?.from(after + 1) ?? []) {
      // There is at least one more document.
      if (found.length === limit || size >= MAX_PAGE_SIZE) return { json: `[${found.join(',')}]`, next: last };
      const json = this.#json.get(id) ?? '';
      found.push(json);
      size += json.length;
      last = id;
    }
    return { json: `[${found.join(',')}]` };
  }

  #index(id: number, document: unknown, isThere: boolean): void {
    for (const [property, index] of this.#indexes) {
      const value = filterText(Object.getOwnPropertyDescriptor(document, property)?.value);
      if (value === undefined) continue;
      const ids = index.get(value) ?? new Sorted<true>();
      if (isThere) ids.set(id, true);
      else ids.delete(id);
      if (ids.count === 0) index.delete(value);
      else index.set(value, ids);
    }
  }
}

export function sizeOf(json: string | null | undefined): number {
  return json == null ? 0 : json.length + OVERHEAD;
}
