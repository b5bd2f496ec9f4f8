import { rounds } from '@petstore/testing';
import { expect, test } from 'vitest';
import { KeyDirectory, LEAF_SIZE } from '../../src/store/lowdb/key-directory.ts';

function idsOf(directory: KeyDirectory): number[] {
  const ids: number[] = [];
  directory.scan(0, undefined, ({ id }) => ids.push(id) > 0);
  return ids;
}

test('wherever an identifier falls into a full leaf, it is found, and can be removed', () => {
  const even = Array.from({ length: LEAF_SIZE }, (_, i) => 2 * (i + 1));
  const step = Math.floor(LEAF_SIZE / rounds(128, LEAF_SIZE));
  for (let odd = 1; odd <= 2 * LEAF_SIZE + 1; odd += 2 * step) {
    for (const id of [odd, LEAF_SIZE - 1, LEAF_SIZE + 1]) {
      const directory = new KeyDirectory();
      for (const one of even) directory.set(one, 1, 1, 0, 1, 0);
      directory.set(id, 2, 1, 0, 1, 0);
      expect([id, directory.get(id)?.version]).toEqual([id, 2]);
      directory.set(id, 3, 1, 0, 1, 0);
      expect(idsOf(directory)).toHaveLength(LEAF_SIZE + 1);
      directory.delete(id);
      expect(idsOf(directory)).toEqual(even);
    }
  }
});
