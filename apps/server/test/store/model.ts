import fc from 'fast-check';
import { expect } from 'vitest';
import type { Collection, Query, Store, StoredDocument } from '../../src/store/store.ts';
import { type Document, everything, key, parsed } from './fixture.ts';

/** A step of a random history. `name` is an idempotency key. */
export type Step =
  | { kind: 'create'; document: Document; name: string | undefined }
  | { kind: 'replace'; id: number; document: Document; name: string | undefined }
  | { kind: 'remove'; id: number; name: string | undefined }
  | { kind: 'list'; query: Query }
  | { kind: 'restart' };

type WriteStep = Extract<Step, { name: string | undefined }>;

const colors = ['red', 'blue', 'a\0', ''];
const name = fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined });
const id = fc.integer({ min: 1, max: 12 });
const document = fc.record(
  {
    color: fc.constantFrom(...colors),
    size: fc.integer({ min: 0, max: 2 }),
    text: fc.string(),
  },
  { requiredKeys: [] },
);
const filters = fc.record(
  { color: fc.constantFrom(...colors, 'none'), size: fc.integer({ min: 0, max: 2 }) },
  { requiredKeys: [] },
);
const query = fc.record({
  after: fc.integer({ min: 0, max: 12 }),
  limit: fc.integer({ min: 1, max: 5 }),
  filters,
});
const as = <Kind extends string>(kind: Kind) => fc.constant(kind);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: as('create'), document, name }) },
  { weight: 3, arbitrary: fc.record({ kind: as('replace'), id, document, name }) },
  { weight: 2, arbitrary: fc.record({ kind: as('remove'), id, name }) },
  { weight: 1, arbitrary: fc.record({ kind: as('restart') }) },
  { weight: 3, arbitrary: fc.record({ kind: as('list'), query }) },
);

/** Random histories of a collection. */
export const histories = fc.array(step, { maxLength: 60, size: 'max' });

/** What a collection has to hold and to return: the plainest store that there is. */
export class Model {
  #nextId = 1;
  #store: Store;
  readonly #reopen: (() => Promise<Store>) | undefined;
  readonly #documents = new Map<number, Document>();
  /** The first results of requests with idempotency keys. */
  readonly #results = new Map<string, Document>();

  /** `reopen` opens the store again, if it keeps its documents. */
  constructor(store: Store, reopen: (() => Promise<Store>) | undefined) {
    this.#store = store;
    this.#reopen = reopen;
  }

  /** Takes a step in the store and in the model. Both have to return the same. */
  async take(step: Step, number: number): Promise<void> {
    if (step.kind === 'restart') await this.#restart();
    else if (step.kind === 'list') await this.#list(step.query);
    else await this.#compareWrite(step, number);
  }

  /** Compares all documents. */
  async compareAll(): Promise<void> {
    expect(await everything(this.#store.collection('things'), 3)).toEqual(this.#all());
    expect(await this.#store.nextId('things')).toBe(this.#nextId);
  }

  /** Closes the store, also after a failure: files that are left open would hide its message. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  async #restart(): Promise<void> {
    if (!this.#reopen) return;
    await this.#store.close();
    this.#store = await this.#reopen();
  }

  async #compareWrite(step: WriteStep, number: number): Promise<void> {
    const request = requestOf(step);
    const collection = this.#store.collection('things', request ? key(request) : undefined);
    const result = await write(collection, step, number);
    const first = request === undefined ? undefined : this.#results.get(request);
    expect(parsed(result)).toEqual(first ?? this.#write(step, number, request));
    expect(result?.isReplayed ?? false).toBe(first !== undefined);
  }

  async #list({ after, limit, filters = {} }: Query): Promise<void> {
    const page = await this.#store.collection('things').list({ after, limit, filters });
    const matching = this.#all().filter(
      (one) =>
        Number(one.key) > after &&
        Object.entries(filters).every(([property, value]) => one[property] === value),
    );
    const expected = matching.slice(0, limit);
    expect(JSON.parse(page.json)).toEqual(expected);
    expect(page.next).toBe(matching.length > limit ? expected.at(-1)?.key : undefined);
  }

  #all(): Document[] {
    return [...this.#documents.values()].sort((a, b) => Number(a.key) - Number(b.key));
  }

  #write(step: WriteStep, number: number, request: string | undefined): Document | undefined {
    const at = step.kind === 'create' ? this.#nextId : step.id;
    const before = this.#documents.get(at);
    if (step.kind !== 'create' && !before) return undefined;
    const result = step.kind === 'remove' ? before : { key: at, ...step.document, number };
    if (step.kind === 'create') this.#nextId += 1;
    if (step.kind === 'remove') this.#documents.delete(at);
    else this.#documents.set(at, result ?? {});
    if (request !== undefined) this.#results.set(request, result ?? {});
    return result;
  }
}

/** A key stands for one request: the first that used it. */
function requestOf(step: WriteStep): string | undefined {
  if (step.name === undefined) return undefined;
  return `${step.name} ${step.kind} ${'id' in step ? step.id : ''}`;
}

function write(
  collection: Collection,
  step: WriteStep,
  number: number,
): Promise<StoredDocument | undefined> {
  switch (step.kind) {
    case 'create':
      return collection.create({ ...step.document, number });
    case 'replace':
      return collection.replace(step.id, { ...step.document, number });
    case 'remove':
      return collection.remove(step.id);
  }
}
