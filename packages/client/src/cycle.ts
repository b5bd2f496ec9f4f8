/**
 * Notices a list whose pages lead back to an earlier one, by Brent's algorithm: it remembers a
 * single address, and a later one each time that the number of pages has doubled. Of the pages
 * a b c d b c d b …, it remembers a, b and d, and notices the second d after it.
 */
export class CycleDetector {
  #remembered = '';
  #steps = 0;
  #stepsToRemember = 1;

  /** Whether an address was seen before. It takes at most three rounds to say so. */
  leadsBack(address: string): boolean {
    if (address === this.#remembered) return true;
    this.#steps++;
    if (this.#steps === this.#stepsToRemember) {
      this.#remembered = address;
      this.#steps = 0;
      this.#stepsToRemember *= 2;
    }
    return false;
  }
}
