import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { operations } from '@petstore/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reported } from '../../drift/check.ts';
import { type Copy, copyOfRepository } from '../repository-copy.ts';
import { blocksOf, pattern } from './pages.ts';

const page = 'docs/adding-an-operation.md';
const blocks = blocksOf(page);
const [described, ...rest] = blocks.filter(({ language }) => language === 'diff');

const added = 'deletePet' in operations;
if (added)
  console.warn(`\n!!! SKIPPED: ${page} is not followed: the interface has its operation by now. Give it another.\n`);

describe.skipIf(added)(`who follows ${page} in a copy of the repository`, { timeout: 300_000 }, () => {
  let copy: Copy;
  let server: string;
  let drifted: Reported[];
  beforeAll(async () => {
    copy = copyOfRepository();
    server = join(copy.folder, 'apps/server');
    drifted = copy.drift();
  });
  afterAll(() => copy?.remove());

  const apply = (patch: string) =>
    execFileSync('git', ['apply', '-'], { cwd: copy.folder, input: patch, stdio: ['pipe', 'pipe', 'pipe'] });
  const compile = () =>
    spawnSync(join(server, 'node_modules/.bin/tsc'), ['--pretty', 'false'], { cwd: server, encoding: 'utf8' }).stdout;

  test('is told by the compiler what is missing once it is described', () => {
    apply(described?.text ?? '');
    copy.generate();
    const said = blocks.find(({ language }) => language === 'text')?.text ?? '';
    expect(compile()).toMatch(pattern(said));
  });

  test.each(rest.map((block) => [block.line, block.text]))('can apply the patch of line %d', (_, patch) => {
    apply(patch);
  });

  test('has an operation that compiles, drifts from nothing more than before, and keeps the contract in every store', async () => {
    expect(compile()).toBe('');
    expect(copy.drift()).toEqual(drifted);
    const files = [
      'test/contract.test.ts',
      'test/store/memory.test.ts',
      'test/store/lowdb.test.ts',
      'test/postgres/postgres.test.ts',
    ];
    const { status, stdout } = spawnSync(join(server, 'node_modules/.bin/vitest'), ['run', ...files], {
      cwd: server,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    expect(status, stdout).toBe(0);
  });
});
