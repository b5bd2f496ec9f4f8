/** Where the text of a document is. */
export interface Location {
  readonly id: number;
  readonly version: number;
  /** The number of the segment. */
  readonly segment: number;
  readonly start: number;
  readonly length: number;
}

const LEAF_SIZE = 1024;
const NONE: readonly number[] = [];

/**
 * The key directory of a collection: for each identifier the place of its document, in memory, in ascending order. It is
 * a sorted list of leaves of typed arrays, so a document costs about 34 bytes, and the garbage collector sees one object
 * for a thousand. A document's indexed values together are its tag: a number that stands for them.
 */
export class KeyDirectory {
  readonly #leaves: Leaf[] = [];
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
    const leaf = this.#leafOf(id);
    const at = leaf ? leaf.find(id) : -1;
    return leaf && at >= 0 ? leaf.location(at) : undefined;
  }

  /** Sets the place of a document, and returns the place it had before. */
  set(id: number, version: number, segment: number, start: number, length: number, tag: number): Location | undefined {
    if (this.#leaves.length === 0) this.#leaves.push(new Leaf());
    const leaf = this.#leaves[Math.max(0, this.#indexOf(id))] as Leaf;
    const at = leaf.lowest(id);
    const before = at < leaf.count && leaf.ids[at] === id ? leaf.location(at) : undefined;
    if (!before) {
      this.count++;
      if (leaf.count === LEAF_SIZE) {
        const next = this.#split(leaf, at);
        if (at >= leaf.count) return next.insert(at - leaf.count, id, version, segment, start, length, tag);
      }
      return leaf.insert(at, id, version, segment, start, length, tag);
    }
    leaf.put(at, id, version, segment, start, length, tag);
    return before;
  }

  /** Changes the place of a document if it is still at `from`. */
  move(id: number, from: { segment: number; start: number }, to: { segment: number; start: number }): boolean {
    const leaf = this.#leafOf(id);
    const at = leaf ? leaf.find(id) : -1;
    if (!leaf || at < 0 || leaf.segments[at] !== from.segment || leaf.starts[at] !== from.start) return false;
    leaf.segments[at] = to.segment;
    leaf.starts[at] = to.start;
    return true;
  }

  delete(id: number): Location | undefined {
    const index = this.#indexOf(id);
    const leaf = this.#leaves[index];
    const at = leaf ? leaf.find(id) : -1;
    if (!leaf || at < 0) return undefined;
    const before = leaf.location(at);
    leaf.shift(at + 1, at);
    leaf.count--;
    this.count--;
    const next = this.#leaves[index + 1];
    if (leaf.count === 0) this.#leaves.splice(index, 1);
    else if (next && leaf.count + next.count <= LEAF_SIZE / 2) {
      leaf.append(next, 0);
      this.#leaves.splice(index + 1, 1);
    }
    return before;
  }

  /** Documents behind an identifier, ascending, until `visit` returns false; only those with one of these tags, if given. */
  scan(after: number, tags: readonly number[] | undefined, visit: (location: Location) => boolean): void {
    const wanted = (tags ?? NONE).reduce((mask, tag) => mask | bit(tag), 0);
    for (let index = Math.max(0, this.#indexOf(after)); index < this.#leaves.length; index++) {
      const leaf = this.#leaves[index];
      if (!leaf || (tags && (leaf.mask & wanted) === 0)) continue;
      const begin = leaf.lowest(after + 1);
      let found = 0;
      for (let at = begin; at < leaf.count; at++) {
        if (tags && !tags.includes(leaf.tags[at] ?? 0)) continue;
        found++;
        if (!visit(leaf.location(at))) return;
      }
      // Replacements may have left the mask behind.
      if (tags && found === 0 && begin === 0) leaf.remask();
    }
  }

  /** The version of a document, 0 where there is none. */
  versionOf(id: number): number {
    const leaf = this.#leafOf(id);
    return leaf?.versions[leaf.find(id)] ?? 0;
  }

  /** The tag of a document that is in the directory. */
  tagOf(id: number): number {
    const leaf = this.#leafOf(id);
    return leaf?.tags[leaf.find(id)] ?? 0;
  }

  /** The last leaf that begins at or before the identifier, -1 for none. */
  #indexOf(id: number): number {
    const last = this.#leaves.length - 1;
    if (last >= 0 && (this.#leaves[last]?.ids[0] ?? 0) <= id) return last;
    let low = 0;
    for (let high = this.#leaves.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#leaves[middle]?.ids[0] ?? 0) > id) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  #leafOf(id: number): Leaf | undefined {
    return this.#leaves[this.#indexOf(id)];
  }

  /** Makes room in a full leaf: behind its end where identifiers ascend, else by halving it. Returns the new leaf. */
  #split(leaf: Leaf, at: number): Leaf {
    const next = new Leaf();
    next.append(leaf, at === leaf.count ? at : LEAF_SIZE / 2);
    leaf.count -= next.count;
    this.#leaves.splice(this.#leaves.indexOf(leaf, Math.max(0, this.#indexOf(leaf.ids[0] ?? 0))) + 1, 0, next);
    return next;
  }
}

const bit = (tag: number) => 1 << (tag & 31);

class Leaf {
  count = 0;
  /** A bit for each tag (modulo 32) that may occur. */
  mask = 0;
  readonly ids = new Float64Array(LEAF_SIZE);
  readonly versions = new Float64Array(LEAF_SIZE);
  readonly segments = new Uint32Array(LEAF_SIZE);
  readonly starts = new Uint32Array(LEAF_SIZE);
  readonly lengths = new Uint32Array(LEAF_SIZE);
  readonly tags = new Uint32Array(LEAF_SIZE);
  readonly #columns = [this.ids, this.versions, this.segments, this.starts, this.lengths, this.tags];

  /** The first place whose identifier is at least this one. */
  lowest(id: number): number {
    if (this.count > 0 && (this.ids[this.count - 1] ?? 0) < id) return this.count;
    let low = 0;
    for (let high = this.count; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.ids[middle] ?? 0) >= id) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  find(id: number): number {
    const at = this.lowest(id);
    return at < this.count && this.ids[at] === id ? at : -1;
  }

  location(at: number): Location {
    return {
      id: this.ids[at] as number,
      version: this.versions[at] as number,
      segment: this.segments[at] as number,
      start: this.starts[at] as number,
      length: this.lengths[at] as number,
    };
  }

  insert(at: number, id: number, version: number, segment: number, start: number, length: number, tag: number) {
    if (at < this.count) this.shift(at, at + 1);
    this.count++;
    this.put(at, id, version, segment, start, length, tag);
    return undefined;
  }

  put(at: number, id: number, version: number, segment: number, start: number, length: number, tag: number): void {
    this.ids[at] = id;
    this.versions[at] = version;
    this.segments[at] = segment;
    this.starts[at] = start;
    this.lengths[at] = length;
    this.tags[at] = tag;
    this.mask |= bit(tag);
  }

  /** Moves what stands from one place on to another. */
  shift(from: number, to: number): void {
    for (const column of this.#columns) column.copyWithin(to, from, this.count);
  }

  /** Appends what another leaf holds from a place on. */
  append(other: Leaf, from: number): void {
    for (const [i, column] of this.#columns.entries())
      column.set(other.#columns[i]?.subarray(from, other.count) ?? [], this.count);
    this.count += other.count - from;
    this.mask |= other.mask;
  }

  remask(): void {
    this.mask = 0;
    for (let at = 0; at < this.count; at++) this.mask |= bit(this.tags[at] ?? 0);
  }
}
