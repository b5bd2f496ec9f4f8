// The drift script finds each contradiction that was planted, and nothing where a change is none.
import { skips } from '@petstore/testing';
import { newCluster, postgresFolder } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { clientPlants, generatorPlants, petctlPlants, serverPlants } from './drift-code-plants.ts';
import { documentPlants, listToys, pagePlants, spec } from './drift-plants.ts';
import { DriftCopy, type Plant } from './support/drift.ts';

const copy = new DriftCopy();

const plants = [
  ...documentPlants,
  ...clientPlants,
  ...serverPlants,
  ...petctlPlants,
  ...pagePlants,
  ...generatorPlants,
];
test.each(plants)('$check finds $name', ({ edits, check, isGenerated, says }: Plant) => {
  const { code, output } = copy.driftAfter(edits, [check], isGenerated);
  const found = output.split('\n').find((line) => line.includes(says));
  expect(found, output).toMatch(/^D\d \w+: .*; fix: /);
  expect(code).toBe(1);
});

test('a handler that is missing is found, and no check waits for what it would create', () => {
  const file = 'apps/server/src/handlers.ts';
  const missing = { file, from: / {2}createPet: .*\n/, to: '' };
  const { code, output } = copy.driftAfter([missing], ['server', 'petctl']);
  expect(output).toContain('POST /pets 501: the operation has no handler');
  expect(code).toBe(1);
});

test('a filter that no collection declares is found, and the log says which one', () => {
  const undeclared = {
    file: 'apps/server/src/handlers.ts',
    from: "filters: ['status']",
    to: 'filters: []',
  };
  const { output } = copy.driftAfter([undeclared], ['server']);
  const found = output.split('\n').find((line) => line.includes('GET /pets 500: these inputs'));
  expect(found, output).toContain('fix: send it to npm start, whose log says why');
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
])('pages: more %s is no contradiction', (_, file, from, to) => {
  expect(copy.driftAfter([{ file, from, to }], ['pages']).output).toContain('Nothing drifts');
});

const noPostgres = postgresFolder() ? undefined : 'this machine has no PostgreSQL';
test.skipIf(skips('the drift check over PostgreSQL', noPostgres, 'postgresql'))(
  'the server over PostgreSQL contradicts nothing',
  async () => {
    const cluster = await (await newCluster()).start();
    try {
      const env = { DRIFT_DATABASE_URL: cluster.url() };
      expect(copy.drift(['server'], env).output).toContain('Nothing drifts');
    } finally {
      await cluster.remove();
    }
  },
);
