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

/** The planted drifts of a check by the file that they edit. */
function listOf(name: string): string {
  const byFile = Map.groupBy(plantedFor(name), (drift) => drift.name.split(': ')[0] ?? '');
  const lines = [...byFile].map(([file, drifts]) => {
    const names = drifts.map((drift) => drift.name.slice(file.length + 2).replace(/, (generated|documented)$/, ''));
    return `- [${file.split('/').at(-1)}](${linkTo(file)}): ${names.join('; ')}`;
  });
  return `### ${name}\n\n${lines.join('\n')}`;
}

// Some are added by the edit.
const linkTo = (file: string) => `../${file.replace(/\/(extra\.gen\.ts|notes\.txt|wrong-\w+\.md)$/, '')}`;

test('docs/drift.md lists the checks, what they guarantee, and what was planted; `vitest -u` writes it', async () => {
  const rows = checks.map(
    ({ name, guarantee }) => `| [${name}](#${name.toLowerCase()}) | ${guarantee} | ${plantedFor(name).length} |`,
  );
  const page = [
    '# What the drift check finds',
    '<!-- Written by `npx vitest run test/drift/planted-table.test.ts -u` in tools. Do not edit. -->',
    'Each check guarantees one sentence. Tests plant drifts, edits that break the sentence, and require a finding of that check.\n[CONTRIBUTING.md](../CONTRIBUTING.md) says how to run the checks.',
    `| check | what holds when it finds nothing | planted |\n|---|---|---|\n${rows.join('\n')}`,
    `## The planted drifts\n\n${planted.length} edits, by the check that finds them and the file that they change.`,
    ...checks.map(({ name }) => listOf(name)),
  ];
  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot(join(root, 'docs/drift.md'));
});
