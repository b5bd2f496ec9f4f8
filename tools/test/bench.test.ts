import { expect, test } from 'vitest';
import { type PartialResponse, parseChunk } from '../bench/http/generator.ts';
import { speedOf } from '../bench/http/main.ts';
import { inRounds, median, medianRatio } from '../bench/measure.ts';
import { withSection } from '../bench/section.ts';

const responses = {
  'of a length': 'HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello',
  'without a body': 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
};

test.each(Object.entries(responses))(
  'a response %s is complete with its last byte, wherever it is split',
  (_, text) => {
    const bytes = Buffer.from(text);
    for (let split = 0; split < bytes.length; split++) {
      let partial: PartialResponse | undefined;
      if (split > 0) {
        partial = parseChunk(bytes.subarray(0, split), undefined);
        expect(partial.left).toBeGreaterThan(0);
      }
      expect(parseChunk(bytes.subarray(split), partial)).toMatchObject({ status: 200, left: 0 });
    }
  },
);

test('each round begins with another subject, and the first round only warms up', async () => {
  const order: string[] = [];
  const measured = await inRounds(['a', 'b'], 2, async (name, round) => {
    order.push(name);
    return round;
  });
  expect(order.join('')).toBe('ababba');
  expect([...measured]).toEqual([
    ['a', [0, 1]],
    ['b', [0, 1]],
  ]);
});

test('a part replaces its section of the page, and only that', () => {
  const page = 'before\n<!-- a -->\nold\n<!-- /a -->\nafter\n';
  expect(withSection(page, 'a', 'new $&')).toBe(page.replace('old', () => 'new $&'));
  expect(withSection(page, 'b', 'new')).toBe(page);
});

test('a ratio is computed round by round', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(medianRatio([1, 20, 3], [2, 40, 6])).toBe(0.5);
});

test('the lowest and the highest speed are those of the thirds of the rounds', () => {
  const rounds = (userTimes: number[]) =>
    userTimes.map((user) => ({ responses: 1, perSecond: 1, p50: 1, p99: 1, cpu: 2, user }));
  const measured = new Map([
    ['bare', rounds([1, 1, 1, 2, 2, 2, 3, 3, 3])],
    ['ours', rounds([2, 2, 2, 2, 2, 2, 2, 2, 2])],
  ]);
  expect(speedOf(measured, 'ours', 'bare')).toEqual({ ratio: 1, lowest: 0.5, highest: 1.5, isUnstable: true });
});
