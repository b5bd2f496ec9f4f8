import { expect, test } from 'vitest';
import { answerIn, type Partial } from '../bench/http/framing.ts';
import { inRounds, median, medianRatio } from '../bench/rounds.ts';

const answers = {
  'of a length': 'HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello',
  'in chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'without a body': 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
};

test.each(Object.entries(answers))('an answer %s is whole with its last byte, wherever it was cut', (_, text) => {
  const bytes = Buffer.from(text);
  for (let cut = 0; cut < bytes.length; cut++) {
    let partial: Partial | undefined;
    if (cut > 0) {
      partial = answerIn(bytes.subarray(0, cut), undefined);
      expect(partial.left).toBeGreaterThan(0);
    }
    expect(answerIn(bytes.subarray(cut), partial)).toMatchObject({ status: 200, left: 0 });
  }
});

test('rounds begin with another one each time, and the first only warms up', async () => {
  const asked: string[] = [];
  const measured = await inRounds(['a', 'b'], 2, async (name, round) => {
    asked.push(name);
    return round;
  });
  expect(asked.join('')).toBe('ababba');
  expect([...measured]).toEqual([
    ['a', [0, 1]],
    ['b', [0, 1]],
  ]);
});

test('a ratio is taken round by round', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(medianRatio([1, 20, 3], [2, 40, 6])).toBe(0.5);
});
