// D1 D2 D4 D5 D7: the drift script finds a contradiction of each kind, says where and how to end it, and nothing where there is none.
import { expect, test } from 'vitest';
import { listToys } from './drift-plants.ts';
import { driftInCopy, plantsOf } from './support/drift.ts';

const spec = 'spec/openapi.yaml';
const { copy, drift, driftAfter } = driftInCopy();

test.each(plantsOf('generated', 'document', 'client', 'petctl', 'release'))(
  '$check finds $name',
  (plant) => {
    const { code, output } = driftAfter(plant);
    expect(output).toContain(plant.says);
    expect(output).toMatch(new RegExp(`^D\\d ${plant.check}: .*; fix: `, 'm'));
    expect(code).toBe(1);
  },
);

const breaking = { check: 'release', file: spec, from: 'maximum: 100', to: 'maximum: 50' };
test.each([
  ['a break with a changeset that says so', breaking, 'major', 0],
  ['a break that is called minor', breaking, 'minor', 1],
  ['an addition', { ...breaking, from: '\ncomponents:\n', to: listToys }, undefined, 0],
  [
    'a description',
    { ...breaking, from: 'the maximum number of animals', to: 'the most animals' },
    undefined,
    0,
  ],
] as const)('release: %s', (_, edit, level, code) => {
  expect(driftAfter(edit, level).code).toBe(code);
});

test('the last release is the newest tag', () => {
  copy.git('init', '-q');
  copy.git('add', 'spec');
  copy.git('commit', '-qm', 'Release');
  copy.git('tag', '@petstore/spec@1.0.0');
  copy.change(spec, (text) => text.replace('maximum: 100', 'maximum: 50'));
  expect(drift(['release']).output).toMatch(
    /^D7 release: .* breaks callers of the last release; fix: /,
  );
});
