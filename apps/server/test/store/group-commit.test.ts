import { rounds } from '@petstore/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { GroupCommit } from '../../src/store/group-commit.ts';

test('writes with a common key are committed one after the other, in the order in which they were added', async () => {
  const keys = fc.uniqueArray(fc.nat(4), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 30 }), async (keysOfWrites) => {
      const commits: number[][] = [];
      const commit = async (writes: number[]) => {
        commits.push(writes);
        return writes;
      };
      const group = new GroupCommit<number, number>(commit, { keysOf: (write) => keysOfWrites[write] ?? [] });
      const all = keysOfWrites.map((_, write) => write);
      expect(await Promise.all(all.map((write) => group.add(write, 10)))).toEqual(all);

      expect(commits.flat().sort((a, b) => a - b)).toEqual(all);
      for (const key of [0, 1, 2, 3, 4]) {
        const withKey = (writes: number[]) => writes.filter((write) => keysOfWrites[write]?.includes(key));
        expect(commits.flatMap(withKey)).toEqual(withKey(all));
        for (const writes of commits) expect(withKey(writes).length).toBeLessThan(2);
      }
    }),
    { numRuns: rounds(200, 5000) },
  );
});

test('while the disk stalls, writes beyond a bound are rejected and not done', async () => {
  const { promise: stalled, resolve: go } = Promise.withResolvers<void>();
  const committed: number[] = [];
  const group = new GroupCommit<number, number>(async (writes) => {
    await stalled;
    committed.push(...writes);
    return writes;
  });
  const writes = Array.from({ length: 25_000 }, (_, i) => group.add(i, 10));
  const results = Promise.allSettled(writes);
  const large = group.add(-1, 2 ** 27);
  await expect(large).rejects.toThrow(StoreUnavailableError);
  go();
  const stored = (await results).flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(stored.length).toBeLessThan(25_000);
  expect(committed).toEqual(stored);
  await group.close();
});

test('while commits take long, a write that has waited too long is rejected and not done', async () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void clock.mockRestore());
  const { promise: stalled, resolve: go } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const committed: number[] = [];
  const group = new GroupCommit<number, number>(async (writes) => {
    begin();
    await stalled;
    committed.push(...writes);
    return writes;
  });
  const first = group.add(1, 10);
  await begun;
  const second = group.add(2, 10);
  clock.mockReturnValue(30_001);
  const third = group.add(3, 10);
  go();
  await expect(second).rejects.toThrow(StoreUnavailableError);
  expect([await first, await third]).toEqual([1, 3]);
  expect(committed).toEqual([1, 3]);
});

test('after an abort, the remaining writes of a commit that is repeated write by write are rejected and not done', async () => {
  const committed: number[] = [];
  const broken = new StoreUnavailableError('The disk is broken.');
  const commit = async (writes: number[]) => {
    if (writes.includes(0)) throw new Error('Write 0 is not possible.');
    if (writes.includes(2)) group.abort(broken);
    if (writes.includes(2)) throw broken;
    committed.push(...writes);
    return writes;
  };
  const isCausedByOneWrite = (error: unknown) => error !== broken;
  const group = new GroupCommit<number, number>(commit, { isCausedByOneWrite });
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((write) => group.add(write, 10)));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'rejected', 'rejected']);
  expect(results.slice(2)).toEqual(Array(3).fill({ status: 'rejected', reason: broken }));
  expect(committed).toEqual([1]);
});
