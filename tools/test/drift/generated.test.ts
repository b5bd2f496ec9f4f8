import { expect, test } from 'vitest';
import { differences } from '../../drift/checks/generated.ts';

const files = (texts: Record<string, string>) => new Map(Object.entries(texts));

test('finds nothing between equal files', () => {
  expect(differences(files({ 'a.ts': 'a', 'b/c.ts': 'c' }), files({ 'b/c.ts': 'c', 'a.ts': 'a' }))).toEqual([]);
});

test('finds changed, missing and superfluous files', () => {
  const expected = files({ 'a.ts': 'a', 'b.ts': 'b', 'same.ts': '' });
  const actual = files({ 'a.ts': 'a ', 'c.ts': 'c', 'same.ts': '' });
  expect(differences(expected, actual)).toEqual([
    { file: 'a.ts', actual: 'differs from what the spec says' },
    { file: 'b.ts', actual: 'is missing' },
    { file: 'c.ts', actual: 'does not belong here' },
  ]);
});
