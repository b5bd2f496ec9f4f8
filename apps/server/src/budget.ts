/** A bound for what many requests use together, such as the memory for bodies. */
export class Budget {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isExceeded(): boolean {
    return this.#used > this.#limit;
  }

  use(amount: number): void {
    this.#used += amount;
  }

  release(amount: number): void {
    this.#used -= amount;
  }
}
