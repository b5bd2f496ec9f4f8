// How long responses take, as a histogram for Prometheus. That of prom-client takes more than ten times as long to count a response.

/** The upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** The responses of an operation. */
export class Durations {
  /** How many responses had each status. */
  readonly statuses = new Map<number, number>();
  /** How many responses took at most each bound, and more than the bound before it. The last ones took more than all. */
  readonly #buckets = new Array<number>(BOUNDS.length + 1).fill(0);
  #sum = 0;

  add(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.#sum += seconds;
    let bucket = 0;
    while (seconds > (BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  /** The lines of the histogram with this name and this value of its label `operation`. */
  lines(name: string, operation: string): string {
    let text = '';
    let count = 0;
    for (const [i, more] of this.#buckets.entries()) {
      count += more;
      text += `${name}_bucket{le="${BOUNDS[i] ?? '+Inf'}",operation="${operation}"} ${count}\n`;
    }
    text += `${name}_sum{operation="${operation}"} ${this.#sum}\n`;
    return `${text}${name}_count{operation="${operation}"} ${count}\n`;
  }
}
