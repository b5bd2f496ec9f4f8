import { statusOf } from './animal.ts';

export const mostAnimals = 1000;
/** A shelf with this many bytes takes no more animals, so that writing a sealed segment stays quick with large ones. */
export const enoughBytes = 2 ** 21;

const newline = 0x0a;
/** Between two animals: `,\n`. */
const gap = 2;

/**
 * The animals of one segment in memory: their texts in a row, exactly as a sealed segment holds them, and where each
 * begins. Nothing is parsed before it is asked for, and the garbage collector sees one object for a thousand animals.
 */
export class Shelf {
  readonly first: number;
  count = 0;
  #bytes: Buffer;
  /** Where each animal begins; one more than there are animals. */
  #starts: Uint32Array;
  /** Each one's status number. */
  statuses: Uint8Array;

  constructor(first: number, bytes: Buffer = Buffer.alloc(0)) {
    this.first = first;
    this.#bytes = bytes;
    this.#starts = new Uint32Array(mostAnimals + 1);
    this.statuses = new Uint8Array(mostAnimals);
    if (bytes.length > 0) this.#find();
  }

  /** The identifier behind the last one. */
  get next(): number {
    return this.first + this.count;
  }

  get full(): boolean {
    return this.count === mostAnimals || this.#used >= enoughBytes;
  }

  /** The texts as a sealed segment holds them. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, Math.max(0, this.#used - gap));
  }

  add(text: string): void {
    const start = this.#used;
    const before = start === 0 ? '' : ',\n';
    const needed = start + Buffer.byteLength(text) + gap;
    if (needed > this.#bytes.length) this.#grow(needed);
    if (before) this.#bytes.write(before, start - gap);
    const end = start + this.#bytes.write(text, start);
    this.#note(end);
    if (this.full) this.#trim();
  }

  /** The texts of the animals from one place up to, and without, another, as they stand: `,\n` between them. */
  text(encoding: 'utf8' | 'latin1', from: number, to: number): string {
    return this.#bytes.toString(encoding, this.#starts[from], (this.#starts[to] ?? 0) - gap);
  }

  /** How many bytes the texts from one place up to another take. */
  size(from: number, to: number): number {
    return (this.#starts[to] ?? 0) - (this.#starts[from] ?? 0);
  }

  get #used(): number {
    return this.#starts[this.count] ?? 0;
  }

  #note(end: number): void {
    this.statuses[this.count] = statusOf(this.#bytes, end);
    this.#starts[++this.count] = end + gap;
  }

  #find(): void {
    const { length } = this.#bytes;
    for (let start = 0; start < length && this.count < mostAnimals; start = this.#used) {
      const at = this.#bytes.indexOf(newline, start);
      this.#note(at < 0 ? length : at - 1);
    }
    this.#fit();
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length, 4096));
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }

  #trim(): void {
    const fitting = Buffer.allocUnsafeSlow(this.bytes.length);
    this.bytes.copy(fitting);
    this.#bytes = fitting;
    this.#fit();
  }

  #fit(): void {
    if (this.count === mostAnimals) return;
    this.#starts = this.#starts.slice(0, this.count + 1);
    this.statuses = this.statuses.slice(0, this.count);
  }
}
