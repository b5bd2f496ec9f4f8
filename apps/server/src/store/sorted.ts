/** A block that is full is divided. Blocks are small, so that adding and removing in the middle moves few items. */
const BLOCK = 1024;

interface Block<T> {
  ids: number[];
  values: T[];
}

/** Values in ascending order of their identifiers. New identifiers are usually the highest. */
export class Sorted<T> {
  readonly #blocks: Block<T>[] = [];
  count = 0;

  get(id: number): T | undefined {
    const block = this.#blocks[this.#blockOf(id)];
    const at = block ? position(block.ids, id) : 0;
    return block?.ids[at] === id ? block.values[at] : undefined;
  }

  set(id: number, value: T): void {
    const number = this.#blockOf(id);
    const block = this.#blocks[number] ?? { ids: [], values: [] };
    if (number === this.#blocks.length) this.#blocks.push(block);
    const at = position(block.ids, id);
    if (block.ids[at] === id) {
      block.values[at] = value;
      return;
    }
    this.count++;
    const isLast = number === this.#blocks.length - 1 && at === block.ids.length;
    if (block.ids.length < BLOCK) insert(block, at, id, value);
    else if (isLast) this.#blocks.push({ ids: [id], values: [value] });
    else {
      this.#blocks.splice(number + 1, 0, { ids: block.ids.splice(BLOCK / 2), values: block.values.splice(BLOCK / 2) });
      this.count--;
      this.set(id, value);
    }
  }

  delete(id: number): void {
    const number = this.#blockOf(id);
    const block = this.#blocks[number];
    const at = block ? position(block.ids, id) : 0;
    if (!block || block.ids[at] !== id) return;
    this.count--;
    block.ids.splice(at, 1);
    block.values.splice(at, 1);
    if (block.ids.length === 0) this.#blocks.splice(number, 1);
  }

  /** The items whose identifiers are at least `least`. Ends if items are added or removed meanwhile. */
  *from(least: number): Generator<readonly [id: number, value: T]> {
    const first = this.#blockOf(least);
    for (let number = first; number < this.#blocks.length; number++) {
      const { ids, values } = this.#blocks[number] as Block<T>;
      for (let at = number === first ? position(ids, least) : 0; at < ids.length; at++)
        yield [ids[at] as number, values[at] as T];
    }
  }

  /** The block that has the identifier, or would have it. */
  #blockOf(id: number): number {
    const blocks = this.#blocks;
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((blocks[middle]?.ids[0] ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The position of the first identifier that is at least `id`. */
function position(ids: readonly number[], id: number): number {
  const last = ids.at(-1);
  if (last === undefined || last < id) return ids.length;
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert<T>(block: Block<T>, at: number, id: number, value: T): void {
  if (at === block.ids.length) {
    block.ids.push(id);
    block.values.push(value);
  } else {
    block.ids.splice(at, 0, id);
    block.values.splice(at, 0, value);
  }
}
