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

test('docs/drift.md lists the checks, what they guarantee, and the planted drifts; `vitest -u` writes it', async () => {
  const rows = checks.map(({ name, guarantee }) => `| ${name} | ${guarantee} | ${plantedFor(name).length} |`);
  const page = [
    '# What the drift check finds',
    '<!-- Written by `npx vitest run test/drift/planted-table.test.ts -u` in tools. Do not edit. -->',
    '`npm run drift` runs these checks. A planted drift is an edit that makes a guarantee false; tests require that the check finds each.',
    `| check | guarantee | planted drifts |\n|---|---|---|\n${rows.join('\n')}`,
    `[tools/test/drift](../tools/test/drift) has the ${planted.length} planted drifts by the file that they edit.`,
  ];
  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot(join(root, 'docs/drift.md'));
});
