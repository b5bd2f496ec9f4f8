import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { skips } from '@petstore/testing';
import { postgresFolder } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { verdictOf } from '../bench/gate.ts';
import { rows } from '../bench/workload.ts';
import { root } from '../repository.ts';

const bench = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(root, 'tools/bench/main.ts'), ...args]);

const missing = postgresFolder() === undefined ? 'PostgreSQL is not installed here' : undefined;
const postgres = skips('PostgreSQL in the bench', missing, 'postgresql')
  ? []
  : ['PostgreSQL store'];

test.for([
  ['http', [...Object.keys(rows), 'bare', 'Fastify raw', 'Fastify', 'Express', 'ours again']],
  ['start', ['first page of pets', 'readiness of the server']],
  [
    'store',
    ['append and sync', 'store in a folder', 'ms to open a store', 'added by folding', ...postgres],
  ],
  ['client', ['@petstore/client', 'openapi-fetch']],
  ['petctl', ['node -e 0', 'petctl --version', 'petctl pets list']],
] as const)('the part %s of the bench measures each of its rows', async ([part, names]) => {
  const { stdout } = await bench(part, '--quick');
  for (const name of names) expect(stdout).toContain(name);
  expect(stdout).toMatch(/^_Medians of /m);
  expect(stdout).not.toMatch(/NaN|Infinity|∞/);
});

test('a part that does not exist is refused with those that do', async () => {
  const failure = await bench('speed').catch((error: { stderr: string }) => error.stderr);
  expect(failure).toBe(
    'FAILED: There is no part speed. The parts are http, start, store, client, petctl.\n',
  );
});

test.for([
  ['less CPU than the other', { other: [30, 30, 30, 30], again: [20, 20, 20, 20] }, true],
  ['a little more, within the noise', { other: [19, 19, 19, 19], again: [22, 18, 22, 20] }, true],
  ['more than the noise explains', { other: [15, 15, 15, 15], again: [22, 18, 22, 20] }, false],
  [
    'so much noise that nothing can be told',
    { other: [30, 30, 30, 30], again: [30, 30, 30, 30] },
    false,
  ],
] as const)('the gate judges %s', ([, { other, again }, isKept]) => {
  const verdict = verdictOf('get', { other, ours: [20, 20, 20, 20], again }, 1);
  expect(verdict.isKept).toBe(isKept);
});
