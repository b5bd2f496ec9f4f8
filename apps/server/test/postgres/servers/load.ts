import { setTimeout as pause } from 'node:timers/promises';
import type { Pet } from '@petstore/types';
import { type Answer, Caller } from './caller.ts';

/** Writers that add animals through all of these servers until they are told to stop, whatever is answered. */
export class Load {
  /** The names that were acknowledged, by identifier. */
  readonly known = new Map<number, string>();
  /** When each that was acknowledged was asked for, and when it was answered, in milliseconds. */
  readonly acknowledged: { asked: number; answered: number }[] = [];
  readonly wrong: string[] = [];
  refused = 0;
  #asked = 0;
  #stopped = false;
  readonly #caller = new Caller();
  readonly #writers: Promise<void>[];

  constructor(urls: () => readonly string[], writers: number) {
    this.#writers = Array.from({ length: writers }, (_, i) => this.#write(i, urls));
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.#writers);
    this.#caller.end();
    if (this.wrong.length > 0) throw new Error(`What may not happen did: ${this.wrong.slice(0, 10).join('; ')}`);
  }

  /** Resolves when so many more animals are acknowledged. */
  async more(animals: number) {
    const goal = this.acknowledged.length + animals;
    for (const until = performance.now() + 120_000; this.acknowledged.length < goal; await pause(5)) {
      if (performance.now() > until) throw new Error('Nothing is acknowledged any more.');
    }
  }

  async #write(writer: number, urls: () => readonly string[]) {
    for (let turn = writer; !this.#stopped; turn++) {
      const servers = urls();
      const url = `${servers[turn % servers.length]}/pets`;
      const name = `animal-${this.#asked++}`;
      try {
        this.#note(name, await this.#caller.ask(url, { name, categoryId: writer, status: 'available' }));
      } catch (error) {
        if (String(error).includes('did not answer')) this.wrong.push(String(error));
        await pause(20);
      }
    }
  }

  #note(name: string, { status, body, retryAfter, milliseconds }: Answer) {
    if (status === 201) {
      const { id } = body as Pet;
      const other = this.known.get(id);
      if (other !== undefined) this.wrong.push(`${id} was given to ${other} and to ${name}`);
      this.known.set(id, name);
      const answered = performance.now();
      this.acknowledged.push({ asked: answered - milliseconds, answered });
    } else if (status === 503 && retryAfter === '1') this.refused++;
    else this.wrong.push(`${status} ${retryAfter} ${JSON.stringify(body)}`);
  }
}
