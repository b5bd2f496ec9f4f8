import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { everything } from './store-contents.ts';

type Pending =
  | { kind: 'create'; text: string }
  | { kind: 'replace'; id: number; text: string }
  | { kind: 'remove'; id: number };

/**
 * The documents that a store may have, according to the lines that writers.ts has printed. Each document has one writer. So its
 * state is that of the last acknowledged write, or of the single write that has begun since.
 */
export class WrittenModel {
  /** The text of every document that was ever acknowledged; undefined if it was removed. */
  readonly #documents = new Map<number, string | undefined>();
  /** The writes to each document, for the message of a failure. */
  readonly #history = new Map<number, string[]>();
  #pending = new Map<string, Pending>();
  acknowledged = 0;

  /** Learns the lines that a process has printed. Concurrent processes have different names. */
  learn(lines: Iterable<string>, process = ''): void {
    for (const line of lines) {
      const [word, number, ...rest] = line.split(' ');
      this.#learn([word ?? '', `${process} ${number}`, ...rest]);
    }
  }

  #learn([word = '', number = '', third = '', text = '']: string[]): void {
    if (word === 'unknown') return;
    if (word === 'create') this.#pending.set(number, { kind: 'create', text: third });
    else if (word === 'replace') this.#pending.set(number, { kind: 'replace', id: Number(third), text });
    else if (word === 'remove') this.#pending.set(number, { kind: 'remove', id: Number(third) });
    else if (word === 'rejected') this.#pending.delete(number);
    else if (word === 'done') this.#acknowledge(number, Number(third));
    else expect(word, 'a write did not find its document').toBe('open');
  }

  #acknowledge(number: string, id: number): void {
    const write = this.#pending.get(number);
    if (!write) throw new Error(`the write ${number} did not begin`);
    if (write.kind === 'create') expect(this.#documents.has(id), `the identifier ${id} was assigned twice`).toBe(false);
    this.#documents.set(id, write.kind === 'remove' ? undefined : write.text);
    this.#note(id, `${write.kind} ${number} done`);
    this.#pending.delete(number);
    this.acknowledged++;
  }

  /** Checks that each document of the store is as its writes left it. */
  async check(store: Store): Promise<void> {
    const found = await this.#read(store);
    const creating = new Set<string>();
    const changing = new Map<number, string | undefined>();
    for (const write of this.#pending.values()) {
      if (write.kind === 'create') creating.add(write.text);
      else changing.set(write.id, write.kind === 'replace' ? write.text : undefined);
    }
    const isRight = (id: number, text: string | undefined) =>
      this.#documents.has(id)
        ? text === this.#documents.get(id) || (changing.has(id) && text === changing.get(id))
        : text !== undefined && creating.delete(text);
    const ids = new Set([...this.#documents.keys(), ...found.keys()]);
    const wrong = [...ids].filter((id) => !isRight(id, found.get(id)));
    const violations = wrong.map((id) => ({ id, found: found.get(id), history: this.#history.get(id) }));
    expect(violations, 'documents differ from their acknowledged writes').toEqual([]);
  }

  /** Checks the store, then takes its state as the outcome of all pending writes. */
  async adopt(store: Store): Promise<void> {
    await this.check(store);
    const found = await this.#read(store);
    for (const write of this.#pending.values())
      if (write.kind !== 'create') this.#note(write.id, `${write.kind} pending`);
    for (const id of found.keys()) if (!this.#documents.has(id)) this.#note(id, 'found without an acknowledgement');
    for (const id of this.#documents.keys()) this.#documents.set(id, found.get(id));
    for (const [id, text] of found) this.#documents.set(id, text);
    this.#pending = new Map();
  }

  #note(id: number, what: string): void {
    this.#history.set(id, [...(this.#history.get(id) ?? []), what]);
  }

  async #read(store: Store): Promise<Map<number, string>> {
    const documents = await everything(store.collection('things'));
    const found = new Map(documents.map(({ key, text }) => [Number(key), String(text)]));
    expect(found.size, 'an identifier is there twice').toBe(documents.length);
    return found;
  }
}
