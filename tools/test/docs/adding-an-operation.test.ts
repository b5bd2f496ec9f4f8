import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isDeep, skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Reported } from '../../drift/check.ts';
import { type Copy, copyOfRepository } from '../repository-copy.ts';
import { run } from '../support/process.ts';
import { blocksOf, pattern } from './pages.ts';

const page = 'docs/adding-an-operation.md';
const blocks = blocksOf(page);
const [described, ...rest] = blocks.filter(({ language }) => language === 'diff');

const exists = skips(page, 'deletePet' in operations ? 'the interface has its operation: give it another' : undefined);

describe.skipIf(exists)(`the steps of ${page}, in a copy of the repository`, () => {
  let copy: Copy;
  let server: string;
  let findings: Reported[];
  beforeAll(() => {
    copy = copyOfRepository();
    server = join(copy.folder, 'apps/server');
    if (isDeep) findings = copy.drift();
    return () => copy.remove();
  });

  const apply = (patch: string) =>
    execFileSync('git', ['apply', '-'], { cwd: copy.folder, input: patch, stdio: ['pipe', 'pipe', 'pipe'] });
  const compile = () =>
    spawnSync(join(server, 'node_modules/.bin/tsc'), ['--pretty', 'false'], { cwd: server, encoding: 'utf8' }).stdout;

  test('the compiler reports the missing handler once the operation is described', () => {
    apply(described?.text ?? '');
    copy.generate();
    const message = blocks.find(({ language }) => language === 'text')?.text ?? '';
    expect(compile()).toMatch(pattern(message));
  });

  test.each(rest.map((block) => [block.line, block.text]))('the patch of line %d applies', (_, patch) => {
    apply(patch);
  });

  test('the operation compiles', () => {
    expect(compile()).toBe('');
  });

  if (isDeep) {
    test('the operation adds no finding to the drift check, and every store satisfies its contract', async () => {
      expect(copy.drift()).toEqual(findings);
      const files = [
        'test/contract.test.ts',
        'test/store/memory.test.ts',
        'test/store/lowdb.test.ts',
        'test/postgres/postgres.test.ts',
      ];
      await run(server, { ...process.env, NO_COLOR: '1' }, join(server, 'node_modules/.bin/vitest'), 'run', ...files);
    }, 300_000);
  }
});
