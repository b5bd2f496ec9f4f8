import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checks } from '../../drift/checks.ts';
import { root } from '../../repository.ts';
import { planted } from './planted.ts';

const plantedFor = (name: string) => planted.filter(({ check }) => check === name);

test('each check finds a planted drift, and each planted drift is found by a check', () => {
  expect(checks.map(({ name }) => name).filter((name) => plantedFor(name).length === 0)).toEqual([]);
  expect(planted.filter(({ check }) => !checks.some(({ name }) => name === check))).toEqual([]);
  expect(new Set(planted.map(({ check, name }) => `${check} ${name}`)).size).toBe(planted.length);
});

/** The number of planted drifts of a check for each file that they edit. */
function countsOf(name: string): string {
  const byFile = Map.groupBy(plantedFor(name), (drift) => drift.name.split(': ')[0] ?? '');
  const counts = [...byFile].map(([file, drifts]) => `[${file.split('/').at(-1)}](${linkTo(file)}) ${drifts.length}`);
  return `- **${name}**: ${counts.join(', ')}`;
}

// Some are added by the edit.
const linkTo = (file: string) => `../${file.replace(/\/(extra\.gen\.ts|notes\.txt|wrong-\w+\.md)$/, '')}`;

test('docs/drift.md lists the checks, what they guarantee, and the planted drifts; `vitest -u` writes it', async () => {
  const rows = checks.map(({ name, guarantee }) => `| ${name} | ${guarantee} | ${plantedFor(name).length} |`);
  const page = [
    '# What the drift check finds',
    '<!-- Written by `npx vitest run test/drift/planted-table.test.ts -u` in tools. Do not edit. -->',
    'Each check guarantees one sentence. Tests plant drifts: edits that break the sentence. The check has to find each of them.',
    `| check | what holds when it finds nothing | planted |\n|---|---|---|\n${rows.join('\n')}`,
    `## Planted drifts by file\n\n[tools/test/drift](../tools/test/drift) names each of the ${planted.length}.`,
    checks.map(({ name }) => countsOf(name)).join('\n'),
  ];
  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot(join(root, 'docs/drift.md'));
});
