import { setTimeout as pause } from 'node:timers/promises';
import { Caller } from './caller.ts';

/** Follows the pages of whichever server answers, from the first pet to the last, until it is stopped. */
export class Walker {
  /** The identifiers of all pets that it was shown, in that order. */
  readonly ids: number[] = [];
  #isStopped = false;
  readonly #caller = new Caller();
  readonly #walk: Promise<void>;

  constructor(urls: () => readonly string[], filter = '') {
    this.#walk = this.#run(urls, filter);
  }

  /** Goes on to the last pet that there is, then stops. */
  async stop(): Promise<number[]> {
    this.#isStopped = true;
    await this.#walk;
    this.#caller.end();
    return this.ids;
  }

  async #run(urls: () => readonly string[], filter: string) {
    for (let round = 0; ; round++) {
      const servers = urls();
      const wasStopped = this.#isStopped;
      const url = `${servers[round % servers.length]}/pets?limit=100&after=${this.ids.at(-1) ?? 0}${filter}`;
      const response = await this.#caller.send(url).catch(() => undefined);
      if (response?.status === 200) {
        const pets = response.body as { id: number }[];
        this.ids.push(...pets.map(({ id }) => id));
        if (pets.length === 0 && wasStopped) return;
        if (pets.length === 0) await pause(5);
      } else await pause(20);
    }
  }
}
