import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Copy, copyOfRepository, type Found } from './copy.ts';
import { harmless, type Mutation, mutations } from './mutations.ts';

/** What the drift tool said of each. */
const said = new Map<Mutation, Found[]>();
const copies: Copy[] = [];

beforeAll(async () => {
  const waiting = [...mutations, ...harmless];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      const copy = copyOfRepository();
      copies.push(copy);
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        next.spoil(copy);
        said.set(next, await copy.drift());
        copy.restore();
      }
    }),
  );
}, 600_000);

afterAll(() => {
  for (const copy of copies) copy.remove();
  const caught = mutations.filter((mutation) =>
    said.get(mutation)?.some(({ surface }) => surface === mutation.surface),
  );
  console.log(`caught ${caught.length} of ${mutations.length}`);
});

describe('the drift tool finds, on the right surface', () => {
  test.each(mutations.map((mutation) => [mutation.name, mutation] as const))('%s', (_, mutation) => {
    expect(said.get(mutation)?.map(({ surface }) => surface)).toContain(mutation.surface);
  });
});

describe('the drift tool lets pass', () => {
  test.each(harmless.map((edit) => [edit.name, edit] as const))('%s', (_, edit) => {
    expect(said.get(edit)).toEqual([]);
  });
});
