// D1 to D7: the drift script finds a contradiction of each kind, says where and how to end it, and nothing where there is none. `npm test` runs it on the repository.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeep, rounds } from '@petstore/testing';
import { afterAll, expect, test } from 'vitest';
import { deletePet, type Plant, plants } from './drift-plants.ts';
import { copyOfRepository } from './support/copy.ts';

const spec = 'spec/openapi.yaml';
const changeset = '.changeset/edit.md';
const copy = copyOfRepository();
const released = join(copy.folder, 'released.yaml');
writeFileSync(released, readFileSync(join(copy.folder, spec)));
afterAll(() => copy.remove());

function drift(checks: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: copy.folder, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/drift/main.ts', ...checks], options);
  return { code: status, output: stdout + stderr };
}

/** What the script says after an edit, which is then undone. */
function driftAfter({ file, from, to, check }: Pick<Plant, 'file' | 'from' | 'to' | 'check'>, level?: string) {
  const path = join(copy.folder, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  try {
    copy.change(file, (before) => before.replace(from, () => to));
    if (level) copy.change(changeset, () => `---\n'@petstore/spec': ${level}\n---\n\nAn edit.\n`);
    return drift([check], { DRIFT_BASE: released });
  } finally {
    if (text === undefined) rmSync(path);
    else writeFileSync(path, text);
    rmSync(join(copy.folder, changeset), { force: true });
  }
}

const firsts = plants.filter(({ check }, i) => plants.findIndex((other) => other.check === check) === i);
test.each(rounds(firsts, plants))('$check finds $name', (plant) => {
  const { code, output } = driftAfter(plant);
  expect(output).toContain(plant.says);
  expect(output).toMatch(new RegExp(`^D\\d ${plant.check}: .*; fix: `, 'm'));
  expect(code).toBe(1);
});

const breaking = { check: 'release', file: spec, from: 'maximum: 100', to: 'maximum: 50' };
test.each([
  ['a break with a changeset that says so', breaking, 'major', 0],
  ['a break that is called minor', breaking, 'minor', 1],
  ['an addition', { ...breaking, from: '\ncomponents:\n', to: deletePet }, undefined, 0],
  ['a description', { ...breaking, from: 'Maximum number of animals', to: 'Most animals' }, undefined, 0],
] as const)('release: %s', (_, edit, level, code) => {
  expect(driftAfter(edit, level).code).toBe(code);
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

test.runIf(isDeep)('an edit that changes nothing for callers is generated, and then contradicts nothing', () => {
  copy.change(
    spec,
    (text) => `# A comment.\n${text.replace('[available, pending, sold]', `["available", 'pending', sold]`)}`,
  );
  copy.generate();
  expect(drift(['generated', 'document', 'client', 'server', 'petctl'])).toMatchObject({ code: 0 });
});

test('the last release is the newest tag', () => {
  copy.git('init', '-q');
  copy.git('add', 'spec');
  copy.git('commit', '-qm', 'Release');
  copy.git('tag', '@petstore/spec@1.0.0');
  copy.change(spec, (text) => text.replace('maximum: 100', 'maximum: 50'));
  expect(drift(['release']).output).toMatch(/^D7 release: .* breaks callers of the last release; fix: /);
});
