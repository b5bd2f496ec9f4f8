import { randomInt } from 'node:crypto';
import { IDEMPOTENCY_MS, type IdempotencyState } from './store.ts';

const FIRST_CAPACITY = 1024;

/**
 * The keys of idempotent writes in memory, in the order in which they came. Each belongs to a group, a number that ascends:
 * groups are forgotten as a whole, the oldest first. It is a table of numbers, about 40 bytes for a key, so that the garbage
 * collector sees a handful of objects however many keys there are. It holds a hash of 64 bits of each key, with a seed that
 * nobody knows; whoever finds a key here looks into what it stands for.
 */
export class IdempotencyKeys {
  readonly #max: number;
  readonly #now: () => number;
  readonly #seed = randomInt(2 ** 32);
  /** A ring of keys: `#count` of them from `#first` on. `#stale` of these were stored again since, behind the others. */
  #ring = newRing(FIRST_CAPACITY);
  #first = 0;
  #count = 0;
  #stale = 0;
  /** Open addressing: where a key is in the ring, and 1; 0 for none. Half of the slots are empty at least. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);
  #forgotten = 0;

  constructor(max: number, now: () => number = Date.now) {
    this.#max = max;
    this.#now = now;
  }

  /** The group of a key that was stored within the last 24 hours. A clock that went back makes a key live longer. */
  get(key: string): number | undefined {
    const at = (this.#slots[this.#slotOf(key)] ?? 0) - 1;
    return at >= 0 && !this.#isOld(at) ? this.#ring.groups[at] : undefined;
  }

  /** Stores a key behind all others. */
  set(key: string, group: number, time = this.#now()): void {
    if (this.#count === this.#ring.groups.length) this.#grow();
    const slot = this.#slotOf(key);
    if (this.#slots[slot] !== 0) this.#stale++;
    const at = (this.#first + this.#count++) % this.#ring.groups.length;
    this.#ring.groups[at] = group;
    this.#ring.times[at] = time;
    this.#ring.high[at] = this.#high;
    this.#ring.low[at] = this.#low;
    this.#slots[slot] = at + 1;
  }

  /** Whether the oldest group is too old, or there are too many keys. */
  get isDue(): boolean {
    return this.#count > 0 && (this.#isOld(this.#first) || this.state.keys > this.#max);
  }

  /** Takes back a group whose keys were stored last. */
  takeBack(group: number): void {
    while (this.#count > 0) {
      const at = (this.#first + this.#count - 1) % this.#ring.groups.length;
      if (this.#ring.groups[at] !== group) return;
      this.#release(at);
      this.#count--;
    }
  }

  /** Forgets the oldest groups, up to so many and to one that stays, while they are due, and returns them. */
  sweep(count: number, staying?: number): number[] {
    const groups: number[] = [];
    while (groups.length < count && this.isDue) {
      const group = this.#ring.groups[this.#first] as number;
      if (group === staying) break;
      while (this.#count > 0 && this.#ring.groups[this.#first] === group) this.#removeFirst();
      groups.push(group);
    }
    return groups;
  }

  get state(): IdempotencyState {
    return { keys: this.#count - this.#stale, forgotten: this.#forgotten };
  }

  #isOld(at: number): boolean {
    return this.#now() - (this.#ring.times[at] ?? 0) >= IDEMPOTENCY_MS;
  }

  #removeFirst(): void {
    const at = this.#first;
    if (this.#release(at) && !this.#isOld(at)) this.#forgotten++;
    this.#first = (at + 1) % this.#ring.groups.length;
    this.#count--;
  }

  /** Empties the slot that leads to this place of the ring; false where the key was stored again since. */
  #release(at: number): boolean {
    const slot = this.#probe(this.#ring.high[at] ?? 0, this.#ring.low[at] ?? 0);
    const isLast = this.#slots[slot] === at + 1;
    if (isLast) this.#empty(slot);
    else this.#stale--;
    return isLast;
  }

  /** The last key that was looked up, until slots move: it is often stored next. Its hash, and the slot of it. */
  #key: string | undefined;
  #high = 0;
  #low = 0;
  #slot = 0;

  /** The slot of a key, or the one where it belongs. */
  #slotOf(key: string): number {
    if (key !== this.#key) this.#slot = hashHalves(key, this.#seed, this.#probeNoted);
    this.#key = key;
    return this.#slot;
  }

  readonly #probeNoted = (high: number, low: number): number => {
    this.#high = high;
    this.#low = low;
    return this.#probe(high, low);
  };

  #probe(high: number, low: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const at = (this.#slots[slot] ?? 0) - 1;
      if (at < 0 || (this.#ring.low[at] === low && this.#ring.high[at] === high)) return slot;
    }
  }

  /** Empties a slot, and moves up what is behind it, so that nothing is behind an empty slot that it belongs before. */
  #empty(emptied: number): void {
    this.#key = undefined;
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

  /** Makes the ring twice as long; the first key comes to its beginning. */
  #grow(): void {
    this.#key = undefined;
    const before = this.#ring;
    const { length } = before.groups;
    this.#ring = newRing(2 * length);
    this.#slots = new Uint32Array(4 * length);
    for (const name of ['groups', 'times', 'high', 'low'] as const) {
      this.#ring[name].set(before[name].subarray(this.#first), 0);
      this.#ring[name].set(before[name].subarray(0, this.#first), length - this.#first);
    }
    this.#first = 0;
    // Of a key that was stored again the last one counts.
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

/** A hash of 64 bits, not a cryptographic one: for a short text the call alone would take longer. */
export function hash64(text: string): string {
  return hashHalves(text, 0, (high, low) => `${high | 0}.${low | 0}`);
}

/** Passes the two halves of a hash of 64 bits to a function, and returns its result. The hash depends on the seed. */
function hashHalves<T>(text: string, seed: number, use: (high: number, low: number) => T): T {
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
  return use(mixedHigh >>> 0, mixedLow >>> 0);
}
