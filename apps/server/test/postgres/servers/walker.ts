import { setTimeout as pause } from 'node:timers/promises';
import type { Pet } from '@petstore/types';
import { Caller } from './caller.ts';

/** Follows the pages of whichever server answers, from the first animal to the live end, until it is told to stop. */
export class Walker {
  readonly seen: number[] = [];
  #stopped = false;
  readonly #caller = new Caller();
  readonly #walk: Promise<void>;

  constructor(urls: () => readonly string[], filter = '') {
    this.#walk = this.#run(urls, filter);
  }

  /** Goes on to the end of what there is, then stops. */
  async stop(): Promise<number[]> {
    this.#stopped = true;
    await this.#walk;
    this.#caller.end();
    return this.seen;
  }

  async #run(urls: () => readonly string[], filter: string) {
    for (let turn = 0; ; turn++) {
      const servers = urls();
      const url = `${servers[turn % servers.length]}/pets?limit=100&after=${this.seen.at(-1) ?? 0}${filter}`;
      const answer = await this.#caller.ask(url).catch(() => undefined);
      if (answer?.status === 200) {
        const pets = answer.body as Pet[];
        this.seen.push(...pets.map(({ id }) => id));
        if (pets.length === 0 && this.#stopped) return;
      } else await pause(20);
    }
  }
}
