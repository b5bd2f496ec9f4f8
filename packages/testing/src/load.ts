// Clients that create and list pets while a test stops servers and databases.
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { apiKey } from './server.ts';

/** How long a request may take, whatever happens to the server and its database. */
const MAX_REQUEST_MS = 60_000;

/** Writers that create pets through these servers until `stop`, whatever the responses are. */
export class Load {
  /** The names of the acknowledged pets, by identifier. */
  readonly known = new Map<number, string>();
  /** When each acknowledged request was sent and when its response came, in milliseconds. */
  readonly acknowledged: { sent: number; responded: number }[] = [];
  /** Responses that no failure of a server or a database justifies. */
  readonly violations: string[] = [];
  /** The number of 503 responses. */
  unavailable = 0;
  #sent = 0;
  #isStopped = false;
  readonly #writers: Promise<void>[];

  constructor(urls: () => readonly string[], writers: number) {
    this.#writers = Array.from({ length: writers }, (_, i) => this.#write(i, urls));
  }

  async stop() {
    this.#isStopped = true;
    await Promise.all(this.#writers);
    if (this.violations.length > 0) throw new Error(this.violations.slice(0, 10).join('; '));
  }

  /** Resolves when this many more pets are acknowledged. */
  async more(pets: number): Promise<void> {
    const goal = this.acknowledged.length + pets;
    await expect.poll(() => this.acknowledged.length, { interval: 1 }).toBeGreaterThanOrEqual(goal);
  }

  async #write(writer: number, urls: () => readonly string[]) {
    for (let round = writer; !this.#isStopped; round++) {
      const servers = urls();
      const url = `${servers[round % servers.length]}/pets`;
      const name = `pet-${this.#sent++}`;
      try {
        this.#note(name, await send(url, { name, categoryId: writer, status: 'available' }));
      } catch (error) {
        if (error instanceof Error && error.name === 'TimeoutError') this.violations.push(`${url}: ${error.message}`);
        await pause(20);
      }
    }
  }

  #note(name: string, { status, body, retryAfter, milliseconds }: Awaited<ReturnType<typeof send>>) {
    if (status === 201) {
      const { id } = body as { id: number };
      const other = this.known.get(id);
      if (other !== undefined) this.violations.push(`${id} was assigned to ${other} and to ${name}`);
      this.known.set(id, name);
      const responded = performance.now();
      this.acknowledged.push({ sent: responded - milliseconds, responded });
    } else if (status === 503 && retryAfter === '1') this.unavailable++;
    else this.violations.push(`${status} ${retryAfter} ${JSON.stringify(body)}`);
  }
}

/** A reader that follows the pages of these servers, from the first pet to the last, until `stop`. */
export class Walker {
  /** The identifiers of all pets that it has read, in that order. */
  readonly ids: number[] = [];
  #isStopped = false;
  readonly #walk: Promise<void>;

  constructor(urls: () => readonly string[], filter = '') {
    this.#walk = this.#run(urls, filter);
  }

  /** Reads up to the last pet, then stops. Resolves with the identifiers. */
  async stop(): Promise<number[]> {
    this.#isStopped = true;
    await this.#walk;
    return this.ids;
  }

  async #run(urls: () => readonly string[], filter: string) {
    for (let round = 0; ; round++) {
      const servers = urls();
      const wasStopped = this.#isStopped;
      const url = `${servers[round % servers.length]}/pets?limit=100&after=${this.ids.at(-1) ?? 0}${filter}`;
      const response = await send(url).catch(() => undefined);
      if (response?.status === 200) {
        const pets = response.body as { id: number }[];
        this.ids.push(...pets.map(({ id }) => id));
        if (pets.length === 0 && wasStopped) return;
        if (pets.length === 0) await pause(5);
      } else await pause(20);
    }
  }
}

/** Sends a request, a POST if it has a body. Rejects if there is no response; with a TimeoutError if there is none in time. */
export async function send(url: string, body?: object) {
  const started = performance.now();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(MAX_REQUEST_MS),
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const responseBody: unknown = await response.json();
  const milliseconds = performance.now() - started;
  return { status: response.status, body: responseBody, retryAfter: response.headers.get('retry-after'), milliseconds };
}
