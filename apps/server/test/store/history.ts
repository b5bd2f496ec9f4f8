import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { everything, key, parsed } from './fixture.ts';

export const WRITERS = 32;

type Begun = { text: string; kind: 'create' | 'replace' | 'remove'; id: number };

/** What writers did, by their own lines, and what the store therefore has to hold. */
export class History {
  readonly #documents = new Map<number, string>();
  readonly #begun = new Map<string, Begun>();
  acknowledged = 0;

  /** Starts a process of writers. Its lines are learned when it ends. */
  start(place: string, word: string, writers = WRITERS) {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('writers.ts', import.meta.url)),
      place,
      word,
      `${writers}`,
    ]);
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const ended = once(child, 'close').then(() => {
      for (const line of output.split('\n').slice(0, -1)) this.#learn(JSON.parse(line));
      expect(errors).toBe('');
    });
    return { child, ended, done: () => output.split('"done"').length - 1 };
  }

  #learn([what, text, ...rest]: [string, string, ...unknown[]]) {
    if (what === 'begin')
      this.#begun.set(text, { text, kind: rest[0] as Begun['kind'], id: Number(rest[1]) });
    else {
      const write = this.#begun.get(text);
      if (!write) throw new Error(`unknown write ${text}`);
      this.#finish(write, Number(rest[0]));
      this.acknowledged++;
    }
  }

  #finish({ text, kind, id }: Begun, created: number) {
    this.#begun.delete(text);
    if (kind === 'create')
      expect(this.#documents.has(created), `the identifier ${created} is used again`).toBe(false);
    if (kind === 'remove') this.#documents.delete(id);
    else this.#documents.set(kind === 'create' ? created : id, text);
  }

  /** Repeats the writes without an answer with their keys. Then nothing that was acknowledged is lost, and nothing is doubled. */
  async verify(store: Store) {
    for (const write of [...this.#begun.values()]) {
      const things = store.collection('things', key(write.text));
      const document = { text: write.text, color: 'red' };
      if (write.kind === 'remove') await things.remove(write.id);
      else if (write.kind === 'replace') await things.replace(write.id, document);
      this.#finish(
        write,
        write.kind === 'create' ? Number(parsed(await things.create(document))?.key) : 0,
      );
    }
    const found = (await everything(store.collection('things'))).map(({ key, text }) => [
      key,
      text,
    ]);
    const expected = [...this.#documents].sort(([a], [b]) => a - b);
    const known = new Set(expected.map(String));
    const there = new Set(found.map(String));
    expect({
      lost: expected.filter((one) => !there.has(String(one))),
      unexpected: found.filter((one) => !known.has(String(one))),
    }).toEqual({ lost: [], unexpected: [] });
    expect(found.length).toBe(expected.length);
  }
}

/** Waits until every writer has some acknowledged writes, or the process has ended, and then for a random time. */
export async function busy(
  { child, done }: { child: ChildProcess; done(): number },
  milliseconds = 300,
) {
  while (done() < 2 * WRITERS && child.exitCode === null && child.signalCode === null)
    await pause(5);
  await pause(Math.random() * milliseconds);
}
