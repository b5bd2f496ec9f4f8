// Ctrl-C at any time, a progress bar on a terminal, repeatable without doubles, also after the process was killed.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rounds } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { startBinary } from './binary.ts';
import { petctl, resultOf, runToEnd, start } from './run.ts';
import { scratch } from './scratch.ts';
import { lines, named, record, startService } from './services.ts';

const file = join(scratch, 'pets.jsonl');
const failedFile = join(scratch, 'failed.jsonl');
const failedNames = () =>
  readFileSync(failedFile, 'utf8')
    .split('\n')
    .flatMap((line) => (line ? JSON.parse(line).name : []));
const all = (count: number) => Array.from({ length: count }, (_, i) => String(i + 1));
const sorted = (names: string[]) => names.toSorted((a, b) => Number(a) - Number(b));

const total = rounds(400, 5000);
const kills = rounds(1, 20);
test(`an import of ${total} records that is killed ${kills} times adds each once`, async () => {
  const { env } = await startService();
  // Half of the records are equal to another one.
  writeFileSync(file, lines(total / 2) + lines(total / 2));
  for (let killed = 1; killed <= kills; killed++) {
    const child = startBinary(['pets', 'import', file, '-o', 'jsonl'], env);
    const closed = once(child, 'close');
    let printed = 0;
    child.stdout.on('data', (part: Buffer) => {
      printed += part.toString().split('\n').length - 1;
      if (printed > (killed * total) / (kills + 1)) child.kill('SIGKILL');
    });
    expect(await closed).toEqual([null, 'SIGKILL']);
  }
  const { code, stderr } = await petctl(['pets', 'import', file], env);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/\d+ created, \d+ existing\.\n$/),
  });
  const count = await petctl(['pets', 'list', '--all', '--jq', 'length'], env);
  expect(count.stdout).toBe(`${total}\n`);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s waits for the calls in progress, and stores exactly the remaining records',
  async (signal, exit) => {
    writeFileSync(file, lines(200));
    const added: string[] = [];
    const { env } = await record((request, count) => {
      added.push(named(request));
      if (count === 20) running.kill(signal);
      return { status: 201, body: { id: count } };
    });
    const running = start(['pets', 'import', file, '--failed', failedFile], env);
    const { code, stderr } = await resultOf(running);
    expect({ code, lines: stderr.split('\n') }).toEqual({
      code: exit,
      lines: [
        expect.stringMatching(/^petctl: Waiting /),
        expect.stringMatching(/\d+ created\. Run the same /),
        'petctl: Interrupted.',
        '',
      ],
    });
    expect(sorted([...added, ...failedNames()])).toEqual(all(200));
  },
);

test('an import that reads stdin stops at once', async () => {
  const { env } = await record(() => ({ status: 201, body: { id: 1 } }));
  const running = start(['pets', 'import', '-'], env);
  running.stdin.write(lines(1));
  await once(running.stdout, 'data');
  running.kill('SIGINT');
  expect(await running.ended).toBe(130);
});

describe('the progress bar', () => {
  const adding = () => record((_, count) => ({ status: 201, body: { id: count } }));
  const shown = async (count: number, args: string[], terminals: object, more = {}) => {
    const { env } = await adding();
    writeFileSync(file, lines(count));
    return runToEnd(['pets', 'import', file, ...args], { ...env, ...more }, '', terminals);
  };
  const both = { stdout: true, stderr: true };

  test('shows the share and the counts, and is erased at the end', async () => {
    const { code, stderr } = await shown(300, [], both);
    expect(code).toBe(0);
    expect(stderr).toMatch(/\[[#-]{24}\] \d+ %/);
    expect(stderr).toMatch(/ % {2}\d+ created\r?/);
    expect(stderr.endsWith('\r\u001b[Kpetctl: 300 created.\n')).toBe(true);
  });

  test('is no wider than the terminal', async () => {
    const { stderr } = await shown(300, [], { ...both, columns: 20 });
    for (const bar of stderr.split('\r\u001b[K').slice(1, -1)) expect(bar.length).toBeLessThan(20);
  });

  test('is shown while results go to a pipe', async () => {
    const { stdout, stderr } = await shown(30, [], { stderr: true });
    expect([stdout.trimEnd().split('\n').length, stderr.includes('\u001b[K')]).toEqual([30, true]);
  });

  test.each([
    [['-o', 'jsonl'], {}],
    [['--quiet'], {}],
    [['-v'], {}],
    [[], { TERM: 'dumb' }],
  ])('is not shown with %j %j', async (args, more) => {
    expect((await shown(30, args, both, more)).stderr).not.toContain('\u001b');
  });
});
