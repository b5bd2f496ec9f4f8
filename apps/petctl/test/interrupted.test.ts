import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { skips } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { onCleanup } from './cleanup.ts';
import { scratch, start, unreachable } from './petctl.ts';
import { pageBefore, record } from './recorder.ts';

/** Resolves when the program reads stdin: the text is larger than the buffer of a pipe. */
async function untilReading(child: ReturnType<typeof start>): Promise<void> {
  await new Promise((done) => child.stdin.write('\n'.repeat(1_000_000), done));
}

/** Opens a FIFO as soon as it has a reader, which then waits for bytes. */
async function openWriter(fifo: string): Promise<void> {
  for (;;) {
    try {
      const writer = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
      return onCleanup(() => closeSync(writer));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENXIO')) throw error;
      await setTimeout(10);
    }
  }
}

describe.each([
  [['pets', 'create', '--data', '-']],
  [['pets', 'import', '-', '--dry-run']],
  [['auth', 'login', '--with-key', '--no-check']],
])('%j, while it reads stdin', (args) => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends it with %i', async (signal, exit) => {
    const child = start(args, { env: unreachable });
    child.stdin.on('error', () => {});
    await untilReading(child);
    child.kill(signal);
    const [code] = await once(child, 'close');
    expect(code).toBe(exit);
  });
});

test.skipIf(process.platform === 'win32').each([[['pets', 'create', '--data', '@FIFO']], [['pets', 'import', 'FIFO']]])(
  '%j: a signal ends petctl while it waits for the writer of a pipe',
  async (args) => {
    const fifo = join(scratch, `fifo-${args[1]}`);
    execFileSync('mkfifo', [fifo]);
    const child = start(
      args.map((word) => word.replace('FIFO', fifo)),
      { env: unreachable },
    );
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    await openWriter(fifo);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    expect(stderr).toBe('petctl: Interrupted by SIGTERM.\n');
  },
);

const hasNoCpuTimes = skips(
  'a signal while a filter never ends',
  existsSync('/proc/self/stat') ? undefined : 'there is no /proc/PID/stat',
);

test.skipIf(hasNoCpuTimes)('a signal ends petctl while a filter never ends', async () => {
  const child = start(['pets', 'list', '--jq', 'def f: f; f'], { env: unreachable });
  onCleanup(() => child.kill('SIGKILL'));
  // The start takes a tenth of this CPU time.
  while (cpuSeconds(child.pid) < 1.5) await setTimeout(20);
  child.kill('SIGINT');
  // It ends by the signal itself, not with the code of a handler: the filter blocks the event loop.
  expect(await once(child, 'close')).toEqual([null, 'SIGINT']);
});

/** The CPU time that a process has used, in seconds. */
function cpuSeconds(pid: number | undefined): number {
  const [, fields = ''] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  // Linux counts in hundredths of a second.
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}

test('a signal ends petctl while its output is blocked', async () => {
  const body = Array.from({ length: 100 }, (_, i) => ({ id: i + 1, name: 'x'.repeat(10_000) }));
  const { env, requests } = await record((_, count) => pageBefore(`?after=${count}`, body));
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

test('a signal ends the request that looks for more elements of a truncated list', async () => {
  const { env } = await record((_, count) => (count === 1 ? pageBefore('?after=1') : 'hang'));
  const child = start(['pets', 'list', '--limit', '1', '-v'], { env });
  let stderr = '';
  const [code] = await new Promise<[number]>((done) => {
    child.on('close', (exit) => done([exit ?? -1]));
    child.stderr.on('data', (text) => {
      stderr += text;
      if (stderr.split('> GET').length === 3) child.kill('SIGINT');
    });
  });
  expect(code).toBe(130);
});
