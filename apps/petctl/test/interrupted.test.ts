import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { start } from './petctl.ts';
import { record } from './recorder.ts';

const nowhere = { PETCTL_BASE_URL: 'http://127.0.0.1:1/v1', PETCTL_API_KEY: 'a-key' };

/** Resolves when the program has begun to read: a pipe does not hold as much as this. */
async function untilReading(child: ReturnType<typeof start>): Promise<void> {
  await new Promise((done) => child.stdin.write('\n'.repeat(1_000_000), done));
}

describe.each([
  [['pets', 'create', '--data', '-']],
  [['pets', 'import', '-', '--dry-run']],
  [['api', 'POST', '/pets', '--input', '-']],
  [['auth', 'login', '--with-key', '--no-check']],
])('%j, while it reads stdin', (args) => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends it with %i', async (signal, exit) => {
    const child = start(args, { env: nowhere });
    child.stdin.on('error', () => {});
    await untilReading(child);
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect(code).toBe(exit);
  });
});

test('a signal ends it while its output is blocked', async () => {
  const body = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, name: 'x'.repeat(10_000) }));
  const { env, requests } = await record((_, count) => ({
    body,
    headers: { link: `<?after=${count}>; rel="next"` },
  }));
  const child = start(['pets', 'list', '--all', '-o', 'jsonl'], { env });
  await once(child.stdout, 'readable');
  child.stdout.pause();
  const count = requests.length;
  expect(count).toBeGreaterThan(0);
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  child.stdout.destroy();
  expect(code).toBe(130);
});

test('a signal ends the look-ahead of a truncated list', async () => {
  const { env } = await record((_, count) =>
    count === 1 ? { body: [{ id: 1 }], headers: { link: '<?after=1>; rel="next"' } } : 'hang',
  );
  const child = start(['pets', 'list', '--limit', '1', '-v'], { env });
  let said = '';
  const [code] = await new Promise<[number]>((done) => {
    child.on('close', (exit) => done([exit ?? -1]));
    child.stderr.on('data', (text) => {
      said += text;
      if (said.split('> GET').length === 3) child.kill('SIGINT');
    });
  });
  expect(code).toBe(130);
});
