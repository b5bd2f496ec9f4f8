// The drift script finds each contradiction that was planted in the server, petctl and the pages.
import { isDeep, skips } from '@petstore/testing';
import { newCluster, postgresFolder } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { generatorPlants, petctlPlants, serverPlants } from './drift-code-plants.ts';
import { pagePlants } from './drift-plants.ts';
import { chosen, DriftCopy } from './support/drift.ts';

const copy = new DriftCopy();

const plants = [...serverPlants, ...petctlPlants, ...pagePlants, ...generatorPlants];

test.each(chosen(plants))('$check finds $name', (plant) => {
  copy.expectFound(plant);
});

test.runIf(isDeep).each([
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
])('pages: more %s is no contradiction', (_, file, from, to) => {
  expect(copy.driftAfter([{ file, from, to }], ['pages'])).toMatchObject({ code: 0 });
});

const noPostgres = postgresFolder() ? undefined : 'this machine has no PostgreSQL';
test.runIf(isDeep && !skips('the drift check over PostgreSQL', noPostgres, 'postgresql'))(
  'the server over PostgreSQL contradicts nothing',
  async () => {
    const cluster = await (await newCluster()).start();
    try {
      const env = { DRIFT_DATABASE_URL: cluster.url() };
      expect(copy.drift(['server'], env)).toMatchObject({ code: 0 });
    } finally {
      await cluster.remove();
    }
  },
);
