// The drift script finds each contradiction that was planted in the spec, the generated code, the client and the interface of the
// last release, says where it is and how to end it, and nothing where there is none.
import { expect, test } from 'vitest';
import { clientPlants } from './drift-code-plants.ts';
import { documentPlants, listToys, spec } from './drift-plants.ts';
import { chosen, DriftCopy } from './support/drift.ts';

const copy = new DriftCopy();

test.each(chosen([...documentPlants, ...clientPlants]))('$check finds $name', (plant) => {
  copy.expectFound(plant);
});

const narrower = { file: spec, from: 'maximum: 100', to: 'maximum: 50' };
const changeset = (level: string) => ({
  file: '.changeset/edit.md',
  from: /^/,
  to: `---\n'@petstore/spec': ${level}\n---\n\nAn edit.\n`,
});
test.each([
  ['a break with a changeset that says so', [narrower, changeset('major')], 0],
  ['a break that is called minor', [narrower, changeset('minor')], 1],
  ['an addition', [{ file: spec, from: '\ncomponents:\n', to: listToys }], 0],
  ['a description', [{ file: spec, from: 'maximum number of animals', to: 'most animals' }], 0],
])('release: %s', (_, edits, code) => {
  expect(copy.driftAfter(edits, ['release']).code).toBe(code);
});

test('the last release is the newest tag', () => {
  const { git, change } = copy.copy;
  git('init', '-q');
  git('add', 'spec');
  git('commit', '-qm', 'Release');
  git('tag', '@petstore/spec@1.0.0');
  change(spec, (text) => text.replace('maximum: 100', 'maximum: 50'));
  const { output } = copy.drift(['release']);
  expect(output).toMatch(/^D7 release: /);
  expect(output).toContain(' breaks callers of the last release; fix: ');
});
