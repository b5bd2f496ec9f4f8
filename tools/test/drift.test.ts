// Each check of the drift script finds a contradiction, and says where it is and how to end it.
import { expect, test } from 'vitest';
import { clientPlants, petctlPlants } from './drift-code-plants.ts';
import { documentPlants, pagePlants } from './drift-plants.ts';
import { DriftCopy } from './support/drift.ts';

const copy = new DriftCopy();

const names = [
  'another default',
  'words against an extension',
  'a body without its media type',
  'a limit of one more',
  'a misspelt flag',
];
const plants = [...documentPlants, ...clientPlants, ...petctlPlants, ...pagePlants].filter(
  ({ name }) => names.includes(name),
);

test('one run of the script finds a contradiction to each promise', () => {
  const { code, output } = copy.driftAfter(plants.flatMap(({ edits }) => edits));
  const expected = [
    ...plants,
    // The other default in the spec is neither in the generated code nor in the server.
    { check: 'generated', says: 'packages/types/src/gen/operations.gen.ts' },
    { check: 'server', says: 'GET /pets: the documents' },
  ];
  expect(new Set(expected.map(({ check }) => check)).size).toBe(7);
  for (const { check, says } of expected) {
    const finding = output
      .split('\n')
      .find((line) => line.includes(` ${check}: `) && line.includes(says));
    expect(finding, output).toMatch(/^D\d \w+: .*; fix: /);
  }
  expect(code).toBe(1);
});
