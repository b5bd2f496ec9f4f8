// Each check of the drift script finds a contradiction, and says where it is and how to end it.
import { expect, test } from 'vitest';
import { spec } from './drift-plants.ts';
import { DriftCopy } from './support/drift.ts';

const copy = new DriftCopy();

test('one run of the script finds a contradiction to each promise', () => {
  const { code, output } = copy.driftAfter([
    { file: spec, from: 'default: 20', to: 'default: 10' },
    { file: spec, from: 'for 24 hours', to: 'for an hour' },
    {
      file: 'packages/client/src/request.ts',
      from: "headers['content-type'] = 'application/json'",
      to: "headers['content-type'] = 'text/plain'",
    },
    {
      file: 'apps/petctl/src/call-operation.ts',
      from: 'return Number(parseValue({ text: limit',
      to: 'return 1 + Number(parseValue({ text: limit',
    },
    { file: 'README.md', from: 'pets list --status', to: 'pets list --statis' },
  ]);
  const found = [
    ['D1 generated', 'packages/types/src/gen/operations.gen.ts is not what the spec generates'],
    ['D2 document', 'does not say 24 hours'],
    ['D3 server', 'GET /pets: the documents'],
    ['D4 client', 'createPet: the headers of the request'],
    ['D5 petctl', 'petctl pets list: the query of the request'],
    ['D6 pages', 'there is no flag --statis of petctl'],
    ['D7 release', "the removal of 'listPets limit is 20 if it is left out' breaks callers"],
  ];
  for (const [check = '', says = ''] of found) {
    const finding = output.split('\n').find((line) => line.includes(says));
    expect(finding, output).toMatch(new RegExp(`^${check}: .*; fix: `));
  }
  expect(code).toBe(1);
});
