import { randomInt } from 'node:crypto';
import { IDEMPOTENCY_MS, type IdempotencyState } from './store.ts';

const FIRST_CAPACITY = 1024;

/**
 * The keys of idempotent writes in memory, in order of arrival. Each key belongs to a group with an ascending number. Groups
 * are evicted as a whole, the oldest first. The table consists of typed arrays, about 40 bytes per key, so the garbage
 * collector sees few objects. It stores a 64-bit hash of each key with a secret seed. Keys may share a hash, so callers check what the group has.
 */
export class IdempotencyKeys {
  readonly #max: number;
  readonly #now: () => number;
  readonly #seed = randomInt(2 ** 32);
  /** A ring buffer with `#count` keys from `#first` on. `#stale` of these keys were stored again later. */
  #ring = newRing(FIRST_CAPACITY);
  #first = 0;
  #count = 0;
  #stale = 0;
  /** A hash table with open addressing: the index of a key in the ring plus 1, or 0. At least half of the slots are empty. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #forgotten = 0;
  /** The hash of the last key that `#slotOf` got: one object, so a look-up allocates nothing. */
  readonly #hash = { high: 0, low: 0 };

  constructor(max: number, now: () => number = Date.now) {
    this.#max = max;
    this.#now = now;
  }

  /** The group of a key that was stored within the last 24 hours. The time is longer if the clock was set back. */
  get(key: string): number | undefined {
    const at = (this.#slots[this.#slotOf(key)] ?? 0) - 1;
    return at >= 0 && !this.#isExpired(at) ? this.#ring.groups[at] : undefined;
  }

  /** Stores a key as the newest. */
  set(key: string, group: number, time = this.#now()): void {
    if (this.#count === this.#ring.groups.length) this.#grow();
    const slot = this.#slotOf(key);
    if (this.#slots[slot] !== 0) this.#stale++;
    const at = (this.#first + this.#count++) % this.#ring.groups.length;
    this.#ring.groups[at] = group;
    this.#ring.times[at] = time;
    this.#ring.high[at] = this.#hash.high;
    this.#ring.low[at] = this.#hash.low;
    this.#slots[slot] = at + 1;
  }

  /** Whether the oldest group is expired, or there are too many keys. */
  get isDue(): boolean {
    return this.#count > 0 && (this.#isExpired(this.#first) || this.state.keys > this.#max);
  }

  /** Removes and returns up to `count` groups that are due, the oldest first. */
  sweep(count: number): number[] {
    const groups: number[] = [];
    while (groups.length < count && this.isDue) {
      const group = this.#ring.groups[this.#first] as number;
      while (this.#count > 0 && this.#ring.groups[this.#first] === group) this.#removeFirst();
      groups.push(group);
    }
    return groups;
  }

  get state(): IdempotencyState {
    return { keys: this.#count - this.#stale, forgotten: this.#forgotten };
  }

  #isExpired(at: number): boolean {
    return this.#now() - (this.#ring.times[at] ?? 0) >= IDEMPOTENCY_MS;
  }

  #removeFirst(): void {
    const at = this.#first;
    const slot = this.#probe(this.#ring.high[at] ?? 0, this.#ring.low[at] ?? 0);
    if (this.#slots[slot] !== at + 1) this.#stale--;
    else {
      if (!this.#isExpired(at)) this.#forgotten++;
      this.#empty(slot);
    }
    this.#first = (at + 1) % this.#ring.groups.length;
    this.#count--;
  }

  /** The slot of a key, or the empty slot for it. Leaves the hash of the key in `#hash`. */
  #slotOf(key: string): number {
    hashInto(this.#hash, key, this.#seed);
    return this.#probe(this.#hash.high, this.#hash.low);
  }

  #probe(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = (this.#slots[slot] ?? 0) - 1;
      if (at < 0 || (this.#ring.low[at] === low && this.#ring.high[at] === high)) return slot;
    }
  }

  /** Empties a slot, and shifts the following slots back, so probing still finds their keys. */
  #empty(emptied: number): void {
    const mask = this.#slots.length - 1;
    let hole = emptied;
    for (let slot = (hole + 1) & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const home = (this.#ring.low[(this.#slots[slot] ?? 0) - 1] ?? 0) & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      this.#slots[hole] = this.#slots[slot] ?? 0;
      hole = slot;
    }
    this.#slots[hole] = 0;
  }

  /** Doubles the ring, with the first key at its beginning. */
  #grow(): void {
    const before = this.#ring;
    const { length } = before.groups;
    this.#ring = newRing(2 * length);
    this.#slots = new Uint32Array(4 * length);
    for (const name of ['groups', 'times', 'high', 'low'] as const) {
      this.#ring[name].set(before[name].subarray(this.#first), 0);
      this.#ring[name].set(before[name].subarray(0, this.#first), length - this.#first);
    }
    this.#first = 0;
    // The last entry of a repeated key counts.
    for (let at = 0; at < this.#count; at++)
      this.#slots[this.#probe(this.#ring.high[at] ?? 0, this.#ring.low[at] ?? 0)] = at + 1;
  }
}

function newRing(length: number) {
  return {
    groups: new Float64Array(length),
    times: new Float64Array(length),
    high: new Uint32Array(length),
    low: new Uint32Array(length),
  };
}

/** A 64-bit hash. It is not cryptographic, because a cryptographic hash of a short text takes longer. */
export function hash64(text: string): string {
  const hash = { high: 0, low: 0 };
  hashInto(hash, text, 0);
  return `${hash.high | 0}.${hash.low | 0}`;
}

/** Sets the two halves of a seeded 64-bit hash. */
function hashInto(hash: { high: number; low: number }, text: string, seed: number): void {
  // cyrb53 by bryc, with all of its bits.
  let high = 0xdead_beef ^ seed;
  let low = 0x41c6_ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e37_79b1);
    low = Math.imul(low ^ code, 0x5f35_6495);
  }
  const mixedHigh = Math.imul(high ^ (high >>> 16), 0x85eb_ca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2_ae35);
  const mixedLow = Math.imul(low ^ (low >>> 16), 0x85eb_ca6b) ^ Math.imul(mixedHigh ^ (mixedHigh >>> 13), 0xc2b2_ae35);
  hash.high = mixedHigh >>> 0;
  hash.low = mixedLow >>> 0;
}
