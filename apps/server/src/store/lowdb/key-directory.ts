/** The location of a document. */
export interface Location {
  readonly id: number;
  readonly version: number;
  /** The number of the segment. */
  readonly segment: number;
  /** The offset in bytes from the beginning of the segment. */
  readonly start: number;
  /** The length in bytes. */
  readonly length: number;
  /** The index of its kind, which identifies its indexed values. */
  readonly kind: number;
}

/** The numbers in a row: identifier, version, `segment * MAX_START + start`, length, kind. */
const WIDTH = 5;
/** 1 GiB, far more than a full segment has. */
const MAX_START = 2 ** 30;

/** Rows in ascending order of identifiers. */
interface Leaf {
  readonly rows: Float64Array;
  count: number;
  /** The bits of the kinds in these rows. It can still have bits of removed rows. */
  kinds: number;
}

/**
 * The key directory of a collection: the location of each document, in memory, in ascending order of identifiers. A document
 * is a row of numbers in a leaf. So a document costs about 40 bytes, and the garbage collector sees one object for 1024 documents.
 */
export class KeyDirectory {
  readonly #leafSize: number;
  readonly #leaves: Leaf[];
  /** The lowest identifier that each leaf can have. */
  readonly #bounds = [0];
  count = 0;
  /** The highest assigned identifier. */
  last = 0;

  constructor(leafSize = 1024) {
    this.#leafSize = leafSize;
    this.#leaves = [this.#newLeaf()];
  }

  get(id: number): Location | undefined {
    const index = this.#indexOf(id);
    const leaf = this.#leaves[index] as Leaf;
    const at = this.#lowest(index, id);
    return idAt(leaf, at) === id ? locationAt(leaf, at) : undefined;
  }

  /** Sets the location of a document, and returns its former location. */
  set(id: number, version: number, segment: number, start: number, length: number, kind: number): Location | undefined {
    const index = this.#indexOf(id);
    const leaf = this.#leaves[index] as Leaf;
    const at = this.#lowest(index, id);
    const before = idAt(leaf, at) === id ? locationAt(leaf, at) : undefined;
    if (!before) {
      if (leaf.count === this.#leafSize) {
        this.#split(index, id, at);
        return this.set(id, version, segment, start, length, kind);
      }
      this.count++;
      shift(leaf, at, at + 1);
    }
    const row = at * WIDTH;
    leaf.rows[row] = id;
    leaf.rows[row + 1] = version;
    leaf.rows[row + 2] = segment * MAX_START + start;
    leaf.rows[row + 3] = length;
    leaf.rows[row + 4] = kind;
    leaf.kinds |= bit(kind);
    return before;
  }

  /** Deletes a document, and returns its former location. */
  delete(id: number): Location | undefined {
    const index = this.#indexOf(id);
    const leaf = this.#leaves[index] as Leaf;
    const at = this.#lowest(index, id);
    if (idAt(leaf, at) !== id) return undefined;
    const before = locationAt(leaf, at);
    shift(leaf, at + 1, at);
    this.count--;
    for (const left of [index, index - 1]) this.#join(left);
    return before;
  }

  /** Visits the documents after an identifier in ascending order, until `visit` returns false. `kinds` filters them. */
  scan(after: number, kinds: readonly number[] | undefined, visit: (location: Location) => boolean): void {
    const kindBits = kinds?.reduce((mask, kind) => mask | bit(kind), 0) ?? -1;
    for (let index = this.#indexOf(after); index < this.#leaves.length; index++) {
      const leaf = this.#leaves[index] as Leaf;
      if ((leaf.kinds & kindBits) === 0) continue;
      const first = this.#lowest(index, after + 1);
      let seen = 0;
      for (let at = first; at < leaf.count; at++) {
        const kind = leaf.rows[at * WIDTH + 4] as number;
        seen |= bit(kind);
        if ((!kinds || kinds.includes(kind)) && !visit(locationAt(leaf, at))) return;
      }
      // All rows were visited, so the bits of removed rows can go.
      if (first === 0) leaf.kinds = seen;
    }
  }

  #newLeaf(): Leaf {
    return { rows: new Float64Array(this.#leafSize * WIDTH), count: 0, kinds: 0 };
  }

  /** Splits a full leaf to make space for an identifier, which would be its row `at`. */
  #split(index: number, id: number, at: number): void {
    const leaf = this.#leaves[index] as Leaf;
    // A row after a full leaf begins a new leaf, so ascending identifiers fill every leaf.
    const middle = at === leaf.count ? at : leaf.count >> 1;
    const next = this.#newLeaf();
    append(next, leaf, middle);
    leaf.count = middle;
    this.#leaves.splice(index + 1, 0, next);
    // An identifier between the halves becomes the first identifier of the second half.
    this.#bounds.splice(index + 1, 0, at === middle ? id : idAt(next, 0));
  }

  /** Joins two neighbouring leaves if they fill at most half a leaf. */
  #join(left: number): void {
    const [leaf, next] = [this.#leaves[left], this.#leaves[left + 1]];
    if (!leaf || !next || leaf.count + next.count > this.#leafSize / 2) return;
    append(leaf, next, 0);
    this.#leaves.splice(left + 1, 1);
    this.#bounds.splice(left + 1, 1);
  }

  /** The index of the leaf for an identifier. */
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

  /** The first row of a leaf whose identifier is at least this one. */
  #lowest(index: number, id: number): number {
    const leaf = this.#leaves[index] as Leaf;
    const bound = this.#bounds[index] as number;
    const next = this.#bounds[index + 1] ?? Number.POSITIVE_INFINITY;
    // Identifiers are distinct and between the bounds, so if few identifiers are missing, few rows are possible.
    let low = Math.max(0, leaf.count - (next - id));
    let high = Math.min(leaf.count, Math.max(0, id - bound));
    if (low < high && idAt(leaf, high - 1) < id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (idAt(leaf, middle) >= id) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** A bit for each kind, modulo 32. */
const bit = (kind: number) => 1 << (kind & 31);

const idAt = ({ rows, count }: Leaf, at: number): number =>
  at < count ? (rows[at * WIDTH] as number) : Number.POSITIVE_INFINITY;

function locationAt({ rows }: Leaf, at: number): Location {
  const row = at * WIDTH;
  const segmentAndStart = rows[row + 2] as number;
  const segment = Math.floor(segmentAndStart / MAX_START);
  return {
    id: rows[row] as number,
    version: rows[row + 1] as number,
    segment,
    start: segmentAndStart - segment * MAX_START,
    length: rows[row + 3] as number,
    kind: rows[row + 4] as number,
  };
}

/** Moves the rows after an index, to insert or remove a row. */
function shift(leaf: Leaf, from: number, to: number): void {
  if (from < leaf.count) leaf.rows.copyWithin(to * WIDTH, from * WIDTH, leaf.count * WIDTH);
  leaf.count += to - from;
}

/** Appends the rows of another leaf, beginning with an index. */
function append(leaf: Leaf, other: Leaf, from: number): void {
  leaf.rows.set(other.rows.subarray(from * WIDTH, other.count * WIDTH), leaf.count * WIDTH);
  leaf.count += other.count - from;
  leaf.kinds |= other.kinds;
}
