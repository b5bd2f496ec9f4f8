import { rounds } from '@petstore/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksIn, type Kind, layOut, writeBlock } from '../../src/store/lowdb/block.ts';

const kinds: Kind[] = [
  ['things', '{"color":"red"}'],
  ['things', ''],
  ['a","hint":["b', '{"a":",\\"documents\\":["}'],
];
const record = fc.record({
  kind: fc.nat(kinds.length - 1),
  id: fc.maxSafeNat(),
  version: fc.maxSafeNat(),
  text: fc.oneof(fc.constant(''), fc.json(), fc.constant('["猫",{"hint":[1,-2]}]')),
});

test.each(['json', 'jsonl'] as const)('a block of %s contains the records that it was made of', (form) => {
  fc.assert(
    fc.property(fc.array(fc.array(record)), (blocks) => {
      const encoded = blocks.map((texts) => {
        const records = texts.map((one) => ({ ...one, start: 0, length: Buffer.byteLength(one.text) }));
        const block = layOut(7, form, records, kinds);
        return writeBlock(Buffer.alloc(block.size), block, 'utf8');
      });
      const bytes = Buffer.concat(encoded);
      const found = [];
      let end = 0;
      for (const block of blocksIn(bytes, form)) {
        const { segment, records } = block;
        const all = [];
        while (records.next()) {
          const { id, version, start, length } = records;
          all.push({
            kind: block.kinds[records.kind],
            id,
            version,
            text: bytes.toString('utf8', start, start + length),
          });
        }
        found.push({ segment, all });
        end = block.end;
      }
      const expected = blocks.map((records) => ({
        segment: 7,
        all: records.map((one) => ({ ...one, kind: kinds[one.kind] })),
      }));
      expect(found).toEqual(expected);
      expect(end).toBe(bytes.length);
    }),
    { numRuns: rounds(100, 5000) },
  );
});
