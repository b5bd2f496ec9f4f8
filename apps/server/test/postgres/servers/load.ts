import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pet } from '@petstore/types';
import { expect, vi } from 'vitest';
import { apiKey } from './server.ts';

export interface Answer {
  status: number;
  body: unknown;
  retryAfter: string | undefined;
  milliseconds: number;
}

/** Asks a server; rejects where there is none. Nothing may take longer than this, whatever happens to the database. */
export const longest = 15_000;

export class Caller {
  readonly #agent = new Agent({ keepAlive: true });

  ask(url: string, body?: object): Promise<Answer> {
    const started = performance.now();
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    };
    const method = body ? 'POST' : 'GET';
    return new Promise((resolve, reject) => {
      const sent = request(url, { agent: this.#agent, method, headers, timeout: longest }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more) => {
          text += more;
        });
        response.on('error', reject).on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            retryAfter: response.headers['retry-after'],
            milliseconds: performance.now() - started,
          }),
        );
      });
      sent.on('timeout', () => sent.destroy(new Error(`${url} did not answer within ${longest} ms`)));
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  end() {
    this.#agent.destroy();
  }
}

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
    expect(this.wrong).toEqual([]);
  }

  /** Resolves when so many more animals are acknowledged. */
  async more(animals: number) {
    const goal = this.acknowledged.length + animals;
    await vi.waitFor(() => expect(this.acknowledged.length).toBeGreaterThanOrEqual(goal), {
      timeout: 60_000,
      interval: 5,
    });
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

/** Every animal that was acknowledged is there, exactly once. */
export function expectKept(known: Map<number, string>, kept: readonly { id: number; name: string }[]) {
  const byId = new Map(kept.map(({ id, name }) => [id, name]));
  expect(byId.size, 'an identifier is there twice').toBe(kept.length);
  expect(new Set(byId.values()).size, 'an animal is there twice').toBe(kept.length);
  expect(
    [...known].filter(([id, name]) => byId.get(id) !== name),
    'acknowledged, but not kept',
  ).toEqual([]);
}
