import type { Subject } from './subjects.ts';

/** Creates that were timed, in one or more slices of a run. */
export class Timing {
  #creates = 0;
  #milliseconds = 0;
  #latencies: number[] = [];

  /** Lets so many writers create so many documents together, each its next one when the one before is stored. */
  async slice({ create }: Subject, writers: number, documents: number): Promise<void> {
    let begun = 0;
    const started = performance.now();
    const write = async () => {
      while (begun++ < documents) {
        const asked = performance.now();
        await create();
        this.#latencies.push(performance.now() - asked);
      }
    };
    await Promise.all(Array.from({ length: writers }, write));
    this.#milliseconds += performance.now() - started;
    this.#creates += documents;
  }

  get perSecond(): number {
    return (this.#creates / this.#milliseconds) * 1000;
  }

  get p99(): number {
    const sorted = Float64Array.from(this.#latencies).sort();
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN;
  }
}

/** How long the event loop stood still at most, in milliseconds. */
export interface Standstill {
  /** By the clock: also when the machine had other things to do. */
  clock: number;
  /** By the processor time that this thread used meanwhile: its own doing. */
  own: number;
}

export async function standstill(work: () => Promise<void>): Promise<Standstill> {
  const most = { clock: 0, own: 0 };
  let [clock, own] = [performance.now(), ownTime()];
  const timer = setInterval(() => {
    const [clockNow, ownNow] = [performance.now(), ownTime()];
    most.clock = Math.max(most.clock, clockNow - clock - 1);
    most.own = Math.max(most.own, ownNow - own);
    [clock, own] = [clockNow, ownNow];
  }, 1);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(timer);
  return most;
}

function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
