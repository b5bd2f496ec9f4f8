/**
 * Notices pages that lead back to an earlier one, by Brent's algorithm: it remembers only one
 * address, and replaces it by a later one each time that the number of pages has doubled. Of the
 * pages a b c d b c d, it remembers a and then c, and notices the second c.
 */
export class CycleDetector {
  #remembered = '';
  #steps = 0;
  #stepsToRemember = 1;

  /** Whether this page was read before. It takes at most three rounds to notice. */
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
