import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorCode, StoreDamagedError } from '../errors.ts';
import { replaceFile } from './disk.ts';

/** So long a mark stands before the next one is made. */
const milliseconds = 1000;

/**
 * Remembers beside the segments how far the store has come: a file that was cut off between two lines, or is gone
 * altogether, looks like a store that never had more. The mark follows the commits at its leisure and is never ahead of
 * them, so it costs no create anything; what a store had in the second before a crash is the most it does not know of.
 */
export class Mark {
  readonly #file: string;
  #next: number;
  #made = 0;
  #making: Promise<void> | undefined;

  private constructor(file: string, next: number) {
    this.#file = file;
    this.#next = next;
  }

  static async read(folder: string): Promise<Mark> {
    const file = join(folder, 'next.json');
    const text = await readFile(file, 'latin1').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return new Mark(file, 1);
    const next = Number(/^\{"next":(\d{1,16}),/.exec(text)?.[1]);
    if (text !== markText(next)) throw new StoreDamagedError(file, 'this is not what was written there');
    return new Mark(file, next);
  }

  /** Every animal below this identifier is in the store. */
  get next(): number {
    return this.#next;
  }

  /** Follows the store, which keeps every animal below `next` by now. */
  follow(next: number): void {
    if (this.#making === undefined && performance.now() - this.#made >= milliseconds) this.#make(next);
  }

  /** Makes the last mark. */
  async end(next: number): Promise<void> {
    await this.#making;
    this.#make(next);
    await this.#making;
  }

  #make(next: number): void {
    if (next === this.#next) return;
    this.#next = next;
    this.#made = performance.now();
    // Without it the store is as safe as before, only less watchful; a failing disk shows itself in the commits.
    this.#making = replaceFile(this.#file, [Buffer.from(markText(next))])
      .catch(() => {})
      .finally(() => {
        this.#making = undefined;
      });
  }
}

function markText(next: number): string {
  return `{"next":${next},"crc32":${crc32(String(next))}}\n`;
}
