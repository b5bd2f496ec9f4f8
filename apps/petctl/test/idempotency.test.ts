import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { rounds } from '@petstore/testing';
import { beforeAll, expect, test } from 'vitest';
import { outcomes, useImportFiles } from './import-files.ts';
import { petctl, start } from './petctl.ts';
import { record } from './recorder.ts';
import { startService } from './service.ts';

let env: Record<string, string>;
const files = useImportFiles();
beforeAll(async () => {
  ({ env } = await startService());
});

const count = async () =>
  (await petctl(['pets', 'list', '--all', '-o', 'jsonl'], { env })).stdout.trimEnd().split('\n').filter(Boolean).length;

test('pets create with one idempotency key creates one pet', async () => {
  const before = await count();
  const create = ['pets', 'create', '--name', 'Once', '--category-id', '1', '--idempotency-key', 'only-once'];
  const [first, second] = [await petctl(create, { env }), await petctl(create, { env })];
  expect(first).toMatchObject({ code: 0, stdout: second.stdout });
  expect(await count()).toBe(before + 1);
  const other = [...create.slice(0, 3), 'Other', ...create.slice(4)];
  expect(await petctl(other, { env })).toMatchObject({ code: 6, stderr: expect.stringContaining('422') });
  expect((await petctl([...create, '--dry-run'], { env })).stdout).toContain('idempotency-key: only-once');
});

test('a repeated import with more records creates the missing ones; --again creates all', async () => {
  const before = await count();
  const first = '{"name":"Twin","categoryId":1}\n{"name":"Twin","categoryId":1}\n';
  const file = files.write('pets.jsonl', first);
  expect(outcomes((await petctl(['pets', 'import', file], { env })).stdout)).toEqual(['1 created', '2 created']);
  // Another order of the properties, and another format, are the same record.
  writeFileSync(file, `${first}{"categoryId":1,"name":"Twin"}\n`);
  const { code, stdout, stderr } = await petctl(['pets', 'import', file], { env });
  expect([code, outcomes(stdout)]).toEqual([0, ['1 existing', '2 existing', '3 created']]);
  expect(stderr).toBe(
    'petctl: An import in the last 24 hours added the existing records, so they were skipped. Use --again to add them again.\npetctl: 1 created, 2 existing.\n',
  );
  const csv = files.write('pets.csv', 'name,categoryId\nTwin,1\nTwin,1\nTwin,1\n');
  expect(outcomes((await petctl(['pets', 'import', csv], { env })).stdout)).toEqual([
    '2 existing',
    '3 existing',
    '4 existing',
  ]);
  expect(await count()).toBe(before + 3);
  expect(await petctl(['pets', 'import', csv, '--again', '-q'], { env })).toMatchObject({ code: 0 });
  expect(await count()).toBe(before + 6);
});

test('a lost response is recovered by the same import', async () => {
  const attempts = new Map<unknown, number>();
  const { env: losing } = await record(({ headers }) => {
    const key = headers['idempotency-key'];
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    return attempt === 1 ? 'break' : { status: 201, body: { id: 1 }, headers: { 'idempotency-replayed': 'true' } };
  });
  const file = files.write('x', '{"name":"A","categoryId":1}\n{"name":"B","categoryId":1}\n');
  const run = () => petctl(['pets', 'import', file, '--retries', '0'], { env: losing });
  expect(await run()).toMatchObject({
    code: 9,
    stderr:
      'petctl: 2 unknown. Run the same import again within 24 hours: records that the service already added are skipped.\n',
  });
  expect(await run()).toMatchObject({ code: 0, stderr: expect.stringContaining('2 existing.') });
  expect(attempts.size).toBe(2);
});

test('an import that is killed repeatedly creates each record once', async () => {
  const { total, kills } = rounds({ total: 400, kills: 3 }, { total: 5_000, kills: 20 });
  const before = await count();
  const file = files.write(
    'many.csv',
    `name,categoryId\n${Array.from({ length: total }, (_, i) => `Killed ${i % (total / 2)},${i % 3}\n`).join('')}`,
  );
  for (let kill = 0; kill < kills; kill++) {
    const child = start(['pets', 'import', file, '-o', 'jsonl'], { env });
    const closed = once(child, 'close');
    const end = Math.random() * (total / 2);
    let lines = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      lines += text.split('\n').length - 1;
      if (lines >= end) child.kill('SIGKILL');
    });
    await closed;
  }
  const { code, stdout } = await petctl(['pets', 'import', file], { env });
  const results = outcomes(stdout).map((line) => line.split(' ')[1]);
  expect([code, results.length, results.filter((result) => /failed|unknown/.test(`${result}`))]).toEqual([
    0,
    total,
    [],
  ]);
  expect(results).toContain('existing');
  expect(await count()).toBe(before + total);
}, 300_000);
