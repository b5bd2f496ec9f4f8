import { afterAll, expect, test } from 'vitest';
import { driftAfter, plants, runIn } from './drift-plants.ts';
import { copyOfRepository } from './repository-copy.ts';

const copy = copyOfRepository();
afterAll(() => copy.remove());

test('the drift script is silent on the repository', () => {
  const { code, output } = runIn(copy, 'tools/drift/main.ts');
  expect([code, output]).toEqual([0, expect.stringMatching(/^(D7 .*\n)?Nothing drifts from spec\/openapi\.yaml\.\n$/)]);
});

test.each(plants.filter(({ quick }) => quick))('$check finds $name', (plant) => {
  const { code, output } = driftAfter(copy, plant);
  expect(output).toContain(plant.says);
  expect(output).toMatch(new RegExp(`^D\\d ${plant.check}: .*; fix: `, 'm'));
  expect(code).toBe(1);
});
