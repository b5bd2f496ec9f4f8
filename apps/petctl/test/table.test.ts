import { describe, expect, test } from 'vitest';
import { table, truncate, widthOf } from '../src/output/table.ts';

describe('display width', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['😀', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['ｆｕｌｌ', 8],
    ['한글', 4],
  ])('of %s is %i', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test('truncates between characters, not in them', () => {
    expect(truncate('日本語', 4)).toBe('日…');
    expect(truncate('ab😀cd', 4)).toBe('ab…');
    expect(truncate('abcd', 4)).toBe('abcd');
  });
});

const rows = [
  { id: 1, name: '日本', status: 'sold' },
  { id: 20, name: 'a very long name that does not fit', status: 'available' },
];
const tableLines = (terminal: number) => {
  const format = table({ columns: ['id', 'name', 'status'], list: true }, rows, terminal, false);
  return [format.head, ...rows.map((row, i) => format.row(row, i))].map((line) => line.trimEnd());
};

test('columns are aligned', () => {
  expect(tableLines(80)).toEqual([
    'ID  NAME                                STATUS',
    '1   日本                                sold',
    '20  a very long name that does not fit  available',
  ]);
});

test('no line is wider than the terminal', () => {
  for (const terminal of [10, 24, 40])
    expect(Math.max(...tableLines(terminal).map(widthOf))).toBeLessThanOrEqual(terminal);
  expect(tableLines(30)[2]).toBe('20  a very long na…  available');
});
