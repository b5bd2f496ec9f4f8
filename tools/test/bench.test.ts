// The arithmetic on which all figures of the bench rest.
import { expect, test } from 'vitest';
import { responseLength } from '../bench/connection.ts';
import { boundCell, compare, median, medianRatio, quantile, quick } from '../bench/measure.ts';
import { markdownOf, withSection } from '../bench/page.ts';

test('a quantile is one of the numbers, in whatever order they are', () => {
  const numbers = [30, 10, 40, 20];
  expect(median(numbers)).toBe(20);
  expect(quantile(numbers, 0.75)).toBe(30);
  expect(quantile(numbers, 1)).toBe(40);
  expect(median([])).toBeNaN();
});

test('the median ratio compares the measurements of each round', () => {
  // The ratio of the medians is 12 / 10.
  expect(medianRatio([10, 90, 12], [10, 30, 6])).toBe(2);
});

test.for([
  ['kept', 1.1, { atMost: 1.1 }, '≤ 1.1'],
  ['missed', 1.12, { atMost: 1.1 }, '≤ 1.1, missed'],
  ['kept from below', 0.7, { atLeast: 0.7 }, '≥ 0.7'],
  ['missed from below', 0.69, { atLeast: 0.7 }, '≥ 0.7, missed'],
  ['without a number', Number.NaN, { atMost: 1.1 }, '≤ 1.1, missed'],
  ['absent', 5, {}, ''],
] as const)('a bound that is %s is shown', ([, measured, bounds, cell]) => {
  expect(boundCell(measured, bounds)).toBe(cell);
});

test('a comparison shows medians, ratios to the first subject, and the bound that it missed', async () => {
  const subjects = {
    node: { measure: async () => 20 },
    petctl: { measure: async () => 1300, atMost: 2.5 },
  };
  const table = await compare('CPU ms', subjects, quick);
  expect(markdownOf({ table })).toBe(`| measured | median | ratio | bound |
|---|---:|---:|---|
| CPU ms: node | 20 | 1 |  |
| CPU ms: petctl | 1,300 | 65 | ≤ 2.5, missed |`);
});

test('a section of the page is replaced, and nothing else', () => {
  const page = 'a\n<!-- http -->\nold\n<!-- /http -->\nb\n';
  expect(withSection(page, 'http', 'new')).toBe('a\n<!-- http -->\nnew\n<!-- /http -->\nb\n');
  expect(() => withSection(page, 'store', 'new')).toThrow("The page has no section 'store'.");
});

test('the load reads the length of a response from its head, and refuses an error', () => {
  const response = (status: number, field: string) =>
    Buffer.from(`HTTP/1.1 ${status} OK\r\nDate: now\r\n${field}\r\n\r\n{"é"`);
  const head = response(200, 'content-length: 9').indexOf('{');
  expect(responseLength(response(200, 'content-length: 9'))).toBe(head + 9);
  expect(responseLength(response(201, 'Content-Length: 9'))).toBe(head + 9);
  expect(() => responseLength(response(401, 'Content-Length: 9'))).toThrow('does not expect');
  expect(() => responseLength(response(200, 'Transfer-Encoding: chunked'))).toThrow('not expect');
});
