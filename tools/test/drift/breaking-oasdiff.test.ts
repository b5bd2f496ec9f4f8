import { describe, expect, test } from 'vitest';
import { textOf } from '../../repository.ts';
import { changes, levelOf, specWith } from './breaking-specs.ts';
import { exampleOf, milder, stricter } from './oasdiff-checks.ts';
import { type Example, silent } from './oasdiff-schemas.ts';

const checks = textOf('tools/test/drift/oasdiff-checks.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' ') as [id: string, level: 'error' | 'warning' | 'info']);

const applying = checks.flatMap(([id, level]) => {
  const example = exampleOf(id);
  return typeof example === 'object' ? [[id, level, example] as const] : [];
});

const specsOf = ([part, before, after]: Example) => [specWith(part, before), specWith(part, after)] as const;

test('each check of oasdiff has an example, or a reason why it does not apply', () => {
  expect(checks.filter(([id]) => exampleOf(id) === undefined).map(([id]) => id)).toEqual([]);
});

describe('a rule reports the change of the oasdiff check', () => {
  test.each(applying)('%s', (_, level, example) => {
    const [before, after] = specsOf(example);
    const [, , , rule] = example;
    const found = changes(before, after);
    if (rule === silent) expect(found).toEqual([]);
    else expect(found.filter((line) => line.includes(rule))).not.toEqual([]);
    if (level === 'error') expect(levelOf(before, after)).toBe('major');
  });
});

test('each level that differs from that of oasdiff has a reason', () => {
  const idsOf = (wanted: string, isMajor: boolean) =>
    applying.flatMap(([id, level, example]) =>
      level === wanted && (levelOf(...specsOf(example)) === 'major') === isMajor ? [id] : [],
    );
  for (const [ids, reasons] of [
    [idsOf('info', true), stricter],
    [idsOf('warning', false), milder],
  ] as const) {
    expect(ids.filter((id) => !reasons.some(([pattern]) => pattern.test(id)))).toEqual([]);
    expect(reasons.filter(([pattern]) => !ids.some((id) => pattern.test(id)))).toEqual([]);
  }
});
