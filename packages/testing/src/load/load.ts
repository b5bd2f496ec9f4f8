import { setTimeout as pause } from 'node:timers/promises';
import { Caller, type Response } from './caller.ts';

const MAX_WAIT_MS = 120_000;

/** Writers that create pets through these servers until they are stopped, whatever the responses. */
export class Load {
  /** The names of the pets whose creation was acknowledged, by identifier. */
  readonly known = new Map<number, string>();
  /** When each acknowledged request was sent, and when it was answered, in milliseconds. */
  readonly acknowledged: { sent: number; answered: number }[] = [];
  /** Responses that no failure of a server or a database justifies. */
  readonly violations: string[] = [];
  refused = 0;
  #sent = 0;
  #isStopped = false;
  #waiting: { goal: number; reached: () => void }[] = [];
  readonly #caller = new Caller();
  readonly #writers: Promise<void>[];

  constructor(urls: () => readonly string[], writers: number) {
    this.#writers = Array.from({ length: writers }, (_, i) => this.#write(i, urls));
  }

  async stop() {
    this.#isStopped = true;
    await Promise.all(this.#writers);
    this.#caller.end();
    if (this.violations.length > 0) throw new Error(this.violations.slice(0, 10).join('; '));
  }

  /** Resolves when this many more pets are acknowledged, and rejects when that takes minutes. */
  more(pets: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('No pet is acknowledged any more.')), MAX_WAIT_MS);
      const reached = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push({ goal: this.acknowledged.length + pets, reached });
    });
  }

  async #write(writer: number, urls: () => readonly string[]) {
    for (let round = writer; !this.#isStopped; round++) {
      const servers = urls();
      const url = `${servers[round % servers.length]}/pets`;
      const name = `pet-${this.#sent++}`;
      try {
        this.#note(name, await this.#caller.send(url, { name, categoryId: writer, status: 'available' }));
      } catch (error) {
        if (String(error).includes('did not answer')) this.violations.push(String(error));
        await pause(20);
      }
    }
  }

  #note(name: string, { status, body, retryAfter, milliseconds }: Response) {
    if (status === 201) {
      const { id } = body as { id: number };
      const other = this.known.get(id);
      if (other !== undefined) this.violations.push(`${id} was assigned to ${other} and to ${name}`);
      this.known.set(id, name);
      const answered = performance.now();
      this.acknowledged.push({ sent: answered - milliseconds, answered });
      const isReached = ({ goal }: { goal: number }) => goal <= this.acknowledged.length;
      for (const { reached } of this.#waiting.filter(isReached)) reached();
      this.#waiting = this.#waiting.filter((waiting) => !isReached(waiting));
    } else if (status === 503 && retryAfter === '1') this.refused++;
    else this.violations.push(`${status} ${retryAfter} ${JSON.stringify(body)}`);
  }
}
