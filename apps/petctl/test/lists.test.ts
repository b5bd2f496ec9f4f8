import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { openLowdbStore } from '@petstore/server';
import { missingShell, newFolder, rounds, skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { onCleanup } from './cleanup.ts';
import { bash, petctl, start } from './petctl.ts';
import { errorReply, pageBefore, record } from './recorder.ts';
import { startService } from './service.ts';
import { hasNoTerminal, onTerminal } from './terminal.ts';

const hasNoShell = skips('petctl before a closed pipe', missingShell);

const many = rounds(20_000, 100_000);
/** The number of concurrent writes: fewer than the store's queue holds. */
const BATCH = 5_000;
let env: Record<string, string>;

beforeAll(async () => {
  const dataDir = newFolder('petctl-many', onCleanup);
  const store = await openLowdbStore(dataDir);
  const pets = store.collection('pets');
  for (let count = 0; count < many; count += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i) => count + i);
    await Promise.all(batch.map((i) => pets.create({ name: `Pet ${i + 1}`, categoryId: i % 7 })));
  }
  await store.close();
  ({ env } = await startService(dataDir));
});

describe(`${many} pets`, () => {
  test('--all lists all in constant memory', async () => {
    const preload = "process.on('exit', () => process._rawDebug('peak ' + process.resourceUsage().maxRSS))";
    const child = start(['pets', 'list', '--all', '-o', 'jsonl'], { env, preload });
    let [lines, last, stderr] = [0, '', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      lines += text.split('\n').length - 1;
      last = (last + text).slice(-200);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const code = await new Promise((done) => child.on('close', done));
    expect([code, lines]).toEqual([0, many]);
    expect(last).toContain(`"name":"Pet ${many}"`);
    const megabytes = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
    console.log(`${many} pets through --all -o jsonl: peak memory ${megabytes.toFixed(0)} MB`);
    // As objects, 100,000 pets take more than this; a run that holds one page takes far less.
    expect(megabytes).toBeLessThan(150);
  });

  test.skipIf(hasNoShell)('a closed pipe ends quietly', async () => {
    expect(await bash('petctl pets list --all -o jsonl | head -1', env)).toEqual({
      code: 0,
      stdout: '{"id":1,"name":"Pet 1","categoryId":0}\n',
      stderr: '',
    });
  });

  test('--limit is the total over pages, --page-size the size of each page', async () => {
    const list = async (...args: string[]) => {
      const { stdout, stderr } = await petctl(['pets', 'list', '-v', '-o', 'jsonl', ...args], { env });
      const urls = stderr.split('\n').filter((line) => line.startsWith('> GET'));
      return { rows: stdout.trimEnd().split('\n').length, urls };
    };
    const total = await list('--limit', '250');
    expect(total.rows).toBe(250);
    expect(total.urls.slice(0, 3).every((url) => url.includes('limit=100'))).toBe(true);
    const small = await list('--limit', '5', '--page-size', '2');
    expect([small.rows, small.urls[0]?.endsWith('limit=2')]).toEqual([5, true]);
    expect(await list('--page-size', '3')).toMatchObject({ rows: 3 });
  });

  test('if the next page of a table fails while nobody reads the output, the rows before it are still written', async () => {
    const page = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, name: 'x'.repeat(20_000) }));
    const failed = Promise.withResolvers<void>();
    const { env } = await record((_, count) => {
      if (count === 1) return pageBefore('?after=100', page);
      failed.resolve();
      return errorReply(400, 'invalid_request');
    });
    const child = start(['pets', 'list', '--all', '-o', 'table'], { env });
    await failed.promise;
    // The response is read while nothing reads the output.
    await setTimeout(300);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([stdout.trimEnd().split('\n').length, stderr]).toEqual([
      101,
      expect.stringMatching(/^petctl: it is invalid/),
    ]);
  });

  test('in a pipe, a truncated list is one request; only -v prints how to continue, with -o json as one line of JSON', async () => {
    const list = ['pets', 'list', '--limit', '2'];
    expect(await petctl(list, { env })).toMatchObject({ code: 0, stderr: '' });
    const { stderr } = await petctl([...list, '-v'], { env });
    expect(stderr).toMatch(/\npetctl: More results exist\. Use --all, or --after 2 for the next ones\.\n$/);
    const json = (await petctl([...list, '-v', '-o', 'json'], { env })).stderr.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(json)).toMatchObject({ notice: {} });
    const { requests, env: recorded } = await record(() => pageBefore('?after=2', [{ id: 1 }, { id: 2 }]));
    await petctl(list, { env: recorded });
    expect(requests.length).toBe(1);
  });

  test.skipIf(hasNoTerminal)('a terminal gets the notice, too, except with --quiet', async () => {
    expect((await onTerminal(['pets', 'list', '--limit', '2'], { env })).terminal).toContain('More results exist.');
    expect((await onTerminal(['pets', 'list', '--limit', '2', '-q'], { env })).terminal).not.toContain('More');
  });

  test('--jq filters each of many elements', async () => {
    const { code, stdout } = await petctl(['pets', 'list', '--all', '-o', 'jsonl', '--jq', '.name'], { env });
    const names = stdout.trimEnd().split('\n');
    expect([code, names.length, names.at(-1)]).toEqual([0, many, `Pet ${many}`]);
  });

  test('a complete list prints no notice', async () => {
    const { stdout, stderr } = await petctl(['pets', 'list', '--limit', '2', '--after', String(many - 2), '-v'], {
      env,
    });
    expect(stdout.split('\n').length).toBe(3);
    expect(stderr).not.toContain('More results');
  });

  test('--all uses the largest pages, or those of --page-size', async () => {
    const pages = async (...args: string[]) => {
      const { stderr } = await petctl(['pets', 'list', '--all', '-v', '--after', String(many - 150), ...args], { env });
      return stderr.split('\n').filter((line) => line.startsWith('> GET')).length;
    };
    expect(await pages()).toBe(2);
    expect(await pages('--page-size', '50')).toBe(3);
  });
});

test('--limit requests no page after the one with the last element', async () => {
  const page = Array.from({ length: 100 }, (_, i) => ({ id: i + 1 }));
  const { requests, env } = await record((_, count) => pageBefore(`?after=${count}`, page));
  const { stdout } = await petctl(['pets', 'list', '--limit', '150', '-o', 'jsonl'], { env });
  expect([stdout.trimEnd().split('\n').length, requests.length]).toEqual([150, 2]);
});

test('a failing page ends the list with its error', async () => {
  const { env: failing } = await record((_, count) =>
    count === 1 ? pageBefore('?after=1') : errorReply(404, 'not_found'),
  );
  const { code, stderr } = await petctl(['pets', 'list', '--all', '-o', 'jsonl'], { env: failing });
  expect(code).toBe(5);
  expect(JSON.parse(stderr).error.status).toBe(404);
});

test.each([
  [['-o', 'jsonl'], '{"id":1}\n'],
  [['-o', 'json'], '[\n{"id":1}'],
  [['-o', 'csv', '--fields', 'id'], 'id\n1\n'],
  [['-o', 'table', '--fields', 'id'], 'ID\n1\n'],
  [['-o', 'jsonl', '--jq', '.id'], '1\n'],
])('the rows before a failing page are printed with %j', async (format, expected) => {
  const { env: failing } = await record(({ url }) =>
    url?.includes('after') ? errorReply(404, 'not_found') : pageBefore('?after=1'),
  );
  expect(await petctl(['pets', 'list', '--all', ...format], { env: failing })).toMatchObject({
    code: 5,
    stdout: expected,
  });
  const { env: broken } = await record(() => errorReply(404, 'not_found'));
  expect(await petctl(['pets', 'list', '--all', ...format], { env: broken })).toMatchObject({ code: 5, stdout: '' });
});

test.each([{ a: 1 }, null, 'text', 7, [null], [1], [[]]])('a list response of %j is an error', async (body) => {
  const { env } = await record(() => ({ body: JSON.stringify(body) }));
  for (const flags of [[], ['--all'], ['--limit', '3'], ['-o', 'json'], ['--jq', '.']])
    expect(await petctl(['pets', 'list', ...flags], { env })).toMatchObject({
      code: 8,
      stdout: '',
      stderr: expect.stringContaining('The response to listPets does not match the spec.'),
    });
});

test('a page that times out is a timeout, also if an earlier page failed at first', async () => {
  const unavailable = { ...errorReply(503, 'unavailable'), headers: { 'retry-after': '0' } };
  const { env } = await record((_, count) => [unavailable, pageBefore('?after=1')][count - 1] ?? 'hang');
  const { code, stderr } = await petctl(['pets', 'list', '--all', '--timeout', '3s'], { env });
  expect([code, stderr]).toEqual([3, 'petctl: The call took longer than --timeout. Use a longer --timeout.\n']);
});

test('an empty page with a next page prints no notice, because it has no element after which to continue', async () => {
  const { env, requests } = await record(() => pageBefore('?after=1', []));
  const { stdout, stderr } = await petctl(['pets', 'list', '-v', '-o', 'json'], { env });
  expect([stdout, requests.length, stderr.includes('More')]).toEqual(['[]\n', 1, false]);
});

test('a next page at another host is not followed', async () => {
  const other = await record(() => ({ body: [] }));
  const { env } = await record(() => pageBefore(`${other.baseUrl}/pets`));
  expect(await petctl(['pets', 'list', '--all', '--retries', '0'], { env })).toMatchObject({
    code: 8,
    stdout: '1\t\t\t\n',
    stderr: expect.stringMatching(/^petctl: the next page is on another origin: \S+ /),
  });
  expect(other.requests).toEqual([]);
});

describe('deprecation', () => {
  test('from the spec: one notice, with the date and the successor', async () => {
    const { stdout, stderr } = await petctl(['pets', 'get', '1', '-v'], { env });
    expect(stdout).toBe('1\tPet 1\t0\t\n');
    expect(stderr).toContain(
      `\npetctl: 'petctl pets get' is deprecated and may be removed from ${operations.getPet.sunset} on. Use 'petctl pets list' instead.\n`,
    );
    expect((await petctl(['pets', 'get', '1'], { env })).stderr).toBe('');
  });

  test('from the headers of the service', async () => {
    const headers = { deprecation: '@1795132800', sunset: 'Sat, 01 Jan 2033 00:00:00 GMT' };
    const { env: announcing } = await record(() => ({ body: [], headers }));
    const { stderr } = await petctl(['pets', 'list', '-v'], { env: announcing });
    expect(stderr).toMatch(/'petctl pets list' is deprecated and may be removed from 2033-01-01 on\.\n$/);
  });

  test('with JSON, stderr is still one line', async () => {
    const { code, stderr } = await petctl(['pets', 'get', String(many + 1), '-o', 'json'], { env });
    expect([code, JSON.parse(stderr).error.code]).toEqual([5, 'not_found']);
  });
});
