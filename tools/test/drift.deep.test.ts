import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { driftAfter, harmless, plants, runIn } from './drift-plants.ts';
import { copyOfRepository } from './repository-copy.ts';

const copy = copyOfRepository();
afterAll(() => copy.remove());

describe('every check finds what it promises', () => {
  test.each(plants)('$check finds $name', (plant) => {
    const { code, output } = driftAfter(copy, plant);
    expect(output).toContain(plant.says);
    expect(output).toMatch(new RegExp(`^D\\d ${plant.check}: .*; fix: `, 'm'));
    expect(code).toBe(1);
  });
});

test.each(harmless)('$name is no contradiction', (edit) => {
  expect(driftAfter(copy, edit)).toEqual({ code: 0, output: expect.stringContaining('Nothing drifts') });
});

test('the last release is the newest tag', () => {
  const tagged = copyOfRepository();
  onTestFinished(() => tagged.remove());
  tagged.git('init', '-q');
  tagged.git('add', 'spec', 'packages/types', 'packages/client');
  tagged.git('commit', '-qm', 'Release');
  tagged.git('tag', '@petstore/spec@1.0.0');
  tagged.change('spec/openapi.yaml', (text) => text.replace('maximum: 100', 'maximum: 50'));
  const { output } = runIn(tagged, 'tools/drift/main.ts', ['release']);
  // The other packages were not in the release.
  expect(output).toContain(
    'maximum 100 → 50 breaks callers of the last release; fix: undo it, or say major in a changeset of @petstore/spec, @petstore/types, @petstore/client\n',
  );
});

test('annotations for GitHub name the file and the line', () => {
  copy.change('README.md', (text) => `[gone](gone.md)\n${text}`);
  const { output } = runIn(copy, 'tools/drift/main.ts', ['pages'], { GITHUB_ACTIONS: 'true' });
  copy.change('README.md', (text) => text.replace('[gone](gone.md)\n', ''));
  expect(output).toMatch(/^::error file=README\.md,line=1::D6 pages: README\.md:1: /);
});
