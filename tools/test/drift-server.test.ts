// D3 D6: the checks of the drift script that run the server.
import { isDeep } from '@petstore/testing';
import { expect, test } from 'vitest';
import { driftInCopy, plantsOf } from './support/drift.ts';

const { copy, drift, driftAfter } = driftInCopy();

test.each(plantsOf('server', 'pages'))('$check finds $name', (plant) => {
  const { code, output } = driftAfter(plant);
  expect(output).toContain(plant.says);
  expect(output).toMatch(new RegExp(`^D\\d ${plant.check}: .*; fix: `, 'm'));
  expect(code).toBe(1);
});

test.each([
  [
    'prose',
    'README.md',
    /$/,
    '\n`petctl pets list -o jsonl` is `GET /v1/pets?limit=5`; see [why](docs/decisions.md).\n',
  ],
  [
    'a page',
    'docs/tour.md',
    /^/,
    '# Tour\n\n```sh\nPORT=81 npm start # petctl needs this\nnpx petctl pets get 7\n```\n',
  ],
] as const)('pages: more %s is no contradiction', (_, file, from, to) => {
  expect(driftAfter({ check: 'pages', file, from, to })).toMatchObject({ code: 0 });
});

test.runIf(isDeep)(
  'an edit that changes nothing for callers is generated, and then contradicts nothing',
  () => {
    copy.change(
      'spec/openapi.yaml',
      (text) =>
        `# A comment.\n${text.replace('[available, pending, sold]', `["available", 'pending', sold]`)}`,
    );
    copy.generate();
    expect(drift(['generated', 'document', 'client', 'server', 'petctl'])).toMatchObject({
      code: 0,
    });
  },
);
