/** Where the text of a document is. */
export interface Location {
  readonly id: number;
  readonly version: number;
  /** The number of the segment. */
  readonly segment: number;
  readonly start: number;
  /** In bytes; 0 for a tombstone, which is in the directory only while the store is opened. */
  readonly length: number;
  readonly tag: number;
}

export const LEAF_SIZE = 1024;
/** Numbers of one document: identifier, version, segment and start as one, length, tag. */
const WIDTH = 5;
const START = 2 ** 32;

/**
 * The key directory of a collection: for each identifier the place of its document, in memory, in ascending order. It is
 * a sorted list of leaves of typed arrays, so a document costs about 40 bytes, and the garbage collector sees one object
 * for a thousand. A document's indexed values together are its tag: a number that stands for them.
 */
export class KeyDirectory {
  readonly #leaves: Leaf[] = [];
  /** The first identifier of each leaf: looking into a thousand leaves to find one would be slow. */
  readonly #firsts: number[] = [];
  readonly #tags = new Map<string, number>();
  readonly tagTexts: string[] = [];
  count = 0;

  /** The number that stands for these indexed values, as JSON. */
  tag(values: string): number {
    const known = this.#tags.get(values);
    if (known !== undefined) return known;
    this.#tags.set(values, this.tagTexts.length);
    return this.tagTexts.push(values) - 1;
  }

  get(id: number): Location | undefined {
    const leaf = this.#leaves[this.#indexOf(id)];
    const at = leaf?.lowest(id) ?? 0;
    return leaf?.idAt(at) === id ? leaf.location(at) : undefined;
  }

  set(id: number, version: number, segment: number, start: number, length: number, tag: number): void {
    let index = Math.max(0, this.#indexOf(id));
    let leaf = this.#leaves[index] ?? new Leaf();
    this.#leaves[index] = leaf;
    let at = leaf.lowest(id);
    if (leaf.idAt(at) !== id) {
      this.count++;
      if (leaf.count === LEAF_SIZE) {
        // Where identifiers ascend, a full leaf stays full.
        const next = leaf.split(at === LEAF_SIZE ? at : LEAF_SIZE / 2);
        this.#leaves.splice(index + 1, 0, next);
        this.#firsts.splice(index + 1, 0, next.idAt(0));
        if (at >= leaf.count) {
          at -= leaf.count;
          leaf = next;
          index++;
        }
      }
      leaf.shift(at, at + 1);
    }
    leaf.put(at * WIDTH, id, version, segment * START + start, length, tag);
    this.#firsts[index] = leaf.idAt(0);
  }

  delete(id: number): void {
    const index = this.#indexOf(id);
    const leaf = this.#leaves[index];
    const at = leaf?.lowest(id) ?? 0;
    if (leaf?.idAt(at) !== id) return;
    leaf.shift(at + 1, at);
    this.count--;
    const next = this.#leaves[index + 1];
    const isMerged = next && leaf.count + next.count <= LEAF_SIZE / 2;
    if (isMerged) leaf.append(next, 0);
    this.#firsts[index] = leaf.idAt(0);
    if (!isMerged && leaf.count > 0) return;
    this.#leaves.splice(isMerged ? index + 1 : index, 1);
    this.#firsts.splice(isMerged ? index + 1 : index, 1);
  }

  /** Documents behind an identifier, ascending, until `visit` returns false; only those with one of these tags, if given. */
  scan(after: number, tags: readonly number[] | undefined, visit: (location: Location) => boolean): void {
    const wanted = tags?.reduce((mask, tag) => mask | bit(tag), 0) ?? -1;
    for (let index = Math.max(0, this.#indexOf(after)); index < this.#leaves.length; index++) {
      const leaf = this.#leaves[index] as Leaf;
      if ((leaf.mask & wanted) === 0) continue;
      const first = leaf.lowest(after + 1);
      let found = 0;
      for (let at = first; at < leaf.count; at++) {
        if (tags && !tags.includes(leaf.tagAt(at))) continue;
        found++;
        if (!visit(leaf.location(at))) return;
      }
      // Replacements may have left the mask behind.
      if (found === 0 && first === 0) leaf.mask = leaf.currentMask();
    }
  }

  /** The last leaf that begins at or before the identifier, -1 for none. */
  #indexOf(id: number): number {
    let high = this.#firsts.length - 1;
    if ((this.#firsts[high] ?? 0) <= id) return high;
    for (let low = 0; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#firsts[middle] as number) > id) high = middle;
      else low = middle + 1;
    }
    return high - 1;
  }
}

/** A bit for each tag, modulo 32. */
const bit = (tag: number) => 1 << (tag & 31);

class Leaf {
  count = 0;
  /** The bits of the tags that may occur. */
  mask = 0;
  readonly rows = new Float64Array(LEAF_SIZE * WIDTH);

  idAt(at: number): number {
    return at < this.count ? (this.rows[at * WIDTH] as number) : Number.POSITIVE_INFINITY;
  }

  tagAt(at: number): number {
    return this.rows[at * WIDTH + 4] as number;
  }

  /** The first place whose identifier is at least this one. */
  lowest(id: number): number {
    if (this.count === 0 || this.idAt(this.count - 1) < id) return this.count;
    // Identifiers are distinct, so where few are missing, few places are possible.
    let low = Math.max(0, this.count - 1 - (this.idAt(this.count - 1) - id));
    for (let high = Math.min(this.count, id - this.idAt(0)); low < high; ) {
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
      tag: this.rows[row + 4] as number,
    };
  }

  put(row: number, id: number, version: number, place: number, length: number, tag: number): void {
    this.rows[row] = id;
    this.rows[row + 1] = version;
    this.rows[row + 2] = place;
    this.rows[row + 3] = length;
    this.rows[row + 4] = tag;
    this.mask |= bit(tag);
  }

  /** Moves all rows from one place on to another: one of them is added, or removed. */
  shift(from: number, to: number): void {
    if (from < this.count) this.rows.copyWithin(to * WIDTH, from * WIDTH, this.count * WIDTH);
    this.count += to - from;
  }

  append(other: Leaf, from: number): void {
    this.rows.set(other.rows.subarray(from * WIDTH, other.count * WIDTH), this.count * WIDTH);
    this.count += other.count - from;
    this.mask |= other.mask;
  }

  /** Moves all rows from a place on into a new leaf. */
  split(at: number): Leaf {
    const next = new Leaf();
    next.append(this, at);
    this.count = at;
    return next;
  }

  currentMask(): number {
    let mask = 0;
    for (let at = 0; at < this.count; at++) mask |= bit(this.tagAt(at));
    return mask;
  }
}
