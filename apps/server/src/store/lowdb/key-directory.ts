/** Where the text of a document is. */
export interface Location {
  readonly id: number;
  readonly version: number;
  /** The number of the segment. */
  readonly segment: number;
  readonly start: number;
  /** In bytes. */
  readonly length: number;
  /** A number that stands for its indexed values. */
  readonly kind: number;
}

/** Numbers of one document: identifier, version, segment and start as one, length, kind. */
const WIDTH = 5;
const START = 2 ** 30;

/**
 * The key directory of a collection: for each identifier the place of its document, in memory, in ascending order. Rows of
 * numbers stand in leaves, so that a document costs about 40 bytes, and the garbage collector sees one object for a thousand.
 */
export class KeyDirectory {
  readonly #leafSize: number;
  readonly #leaves: Leaf[];
  /** The lowest identifier that may stand in each leaf: looking into a thousand leaves to find one would be slow. */
  readonly #bounds = [0];
  count = 0;

  constructor(leafSize = 1024) {
    this.#leafSize = leafSize;
    this.#leaves = [new Leaf(leafSize)];
  }

  get(id: number): Location | undefined {
    const leaf = this.#leaves[this.#indexOf(id)] as Leaf;
    const at = leaf.lowest(id);
    return leaf.idAt(at) === id ? leaf.location(at) : undefined;
  }

  set({ id, version, segment, start, length, kind }: Location): void {
    const index = this.#indexOf(id);
    let leaf = this.#leaves[index] as Leaf;
    let at = leaf.lowest(id);
    if (leaf.idAt(at) !== id) {
      this.count++;
      if (leaf.count === this.#leafSize) {
        // Where identifiers ascend, a full leaf stays full.
        const middle = at === leaf.count ? at : leaf.count >> 1;
        const next = new Leaf(this.#leafSize);
        next.append(leaf, middle);
        leaf.count = middle;
        this.#leaves.splice(index + 1, 0, next);
        // An identifier between the halves begins the second one.
        this.#bounds.splice(index + 1, 0, at === middle ? id : next.idAt(0));
        if (at >= middle) [leaf, at] = [next, at - middle];
      }
      leaf.shift(at, at + 1);
    }
    leaf.put(at, id, version, segment * START + start, length, kind);
  }

  delete(id: number): void {
    const index = this.#indexOf(id);
    const leaf = this.#leaves[index] as Leaf;
    const at = leaf.lowest(id);
    if (leaf.idAt(at) !== id) return;
    leaf.shift(at + 1, at);
    this.count--;
    for (const left of [index, index - 1]) this.#join(left);
  }

  /** Documents behind an identifier, ascending, until `visit` returns false; only those of these kinds, if given. */
  scan(after: number, kinds: readonly number[] | undefined, visit: (location: Location) => boolean): void {
    const wanted = kinds?.reduce((mask, kind) => mask | bit(kind), 0) ?? -1;
    for (let index = this.#indexOf(after); index < this.#leaves.length; index++) {
      const leaf = this.#leaves[index] as Leaf;
      if ((leaf.kinds & wanted) === 0) continue;
      let seen = 0;
      for (let at = leaf.lowest(after + 1); at < leaf.count; at++) {
        const kind = leaf.kindAt(at);
        seen |= bit(kind);
        if ((!kinds || kinds.includes(kind)) && !visit(leaf.location(at))) return;
      }
      // Replacements may have left bits behind.
      if (leaf.idAt(0) > after) leaf.kinds = seen;
    }
  }

  /** Makes one leaf of two neighbours that are half empty together. */
  #join(left: number): void {
    const [leaf, next] = [this.#leaves[left], this.#leaves[left + 1]];
    if (!leaf || !next || leaf.count + next.count > this.#leafSize / 2) return;
    leaf.append(next, 0);
    this.#leaves.splice(left + 1, 1);
    this.#bounds.splice(left + 1, 1);
  }

  /** The leaf where an identifier stands, or would stand. */
  #indexOf(id: number): number {
    let [low, high] = [0, this.#bounds.length - 1];
    if ((this.#bounds[high] as number) <= id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#bounds[middle] as number) > id) high = middle;
      else low = middle + 1;
    }
    return Math.max(0, high - 1);
  }
}

/** A bit for each kind, modulo 32. */
const bit = (kind: number) => 1 << (kind & 31);

class Leaf {
  readonly rows: Float64Array;
  count = 0;
  /** The bits of the kinds that may occur. */
  kinds = 0;

  constructor(size: number) {
    this.rows = new Float64Array(size * WIDTH);
  }

  idAt(at: number): number {
    return at < this.count ? (this.rows[at * WIDTH] as number) : Number.POSITIVE_INFINITY;
  }

  kindAt(at: number): number {
    return this.rows[at * WIDTH + 4] as number;
  }

  /** The first place whose identifier is at least this one. */
  lowest(id: number): number {
    const [first, last] = [this.idAt(0), this.rows[(this.count - 1) * WIDTH] as number];
    if (id <= first) return 0;
    if (id > last) return this.count;
    // Identifiers are distinct, so where few are missing, few places are possible.
    let low = Math.max(0, this.count - 1 - (last - id));
    for (let high = Math.min(this.count - 1, id - first); low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.idAt(middle) >= id) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  location(at: number): Location {
    const row = at * WIDTH;
    const place = this.rows[row + 2] as number;
    const segment = Math.floor(place / START);
    return {
      id: this.rows[row] as number,
      version: this.rows[row + 1] as number,
      segment,
      start: place - segment * START,
      length: this.rows[row + 3] as number,
      kind: this.rows[row + 4] as number,
    };
  }

  put(at: number, id: number, version: number, place: number, length: number, kind: number): void {
    const row = at * WIDTH;
    this.rows[row] = id;
    this.rows[row + 1] = version;
    this.rows[row + 2] = place;
    this.rows[row + 3] = length;
    this.rows[row + 4] = kind;
    this.kinds |= bit(kind);
  }

  /** Moves all rows from one place on to another: one of them is added, or removed. */
  shift(from: number, to: number): void {
    this.rows.copyWithin(to * WIDTH, from * WIDTH, this.count * WIDTH);
    this.count += to - from;
  }

  /** Adds the rows of another leaf from a place on. */
  append(other: Leaf, from: number): void {
    this.rows.set(other.rows.subarray(from * WIDTH, other.count * WIDTH), this.count * WIDTH);
    this.count += other.count - from;
    this.kinds |= other.kinds;
  }
}
