// P6: Ctrl-C at any time, a progress bar on a terminal, repeatable without doubles, also after the process was killed.
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rounds } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { hasNoTerminal, onTerminal, startBinary } from './binary.ts';
import { petctl } from './run.ts';
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

const total = rounds(1000, 5000);
const kills = rounds(5, 20);
test(`an import of ${total} records that is killed ${kills} times adds each once`, async () => {
  const { env } = await startService();
  // Half of the records are equal to another one.
  writeFileSync(file, lines(total / 2) + lines(total / 2));
  for (let killed = 0; killed < kills; killed++) {
    const child = startBinary(['pets', 'import', file, '-o', 'jsonl'], env);
    const closed = once(child, 'close');
    let printed = 0;
    child.stdout.on('data', (part: Buffer) => {
      printed += part.toString().split('\n').length - 1;
      if (printed > (killed * total) / kills) child.kill('SIGKILL');
    });
    await closed;
  }
  const { code, stderr } = await petctl(['pets', 'import', file], env);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/existing\. Existing ones are skipped without --again\.\n$/),
  ]);
  expect((await petctl(['pets', 'list', '--all', '--jq', 'length'], env)).stdout).toBe(
    `${total}\n`,
  );
  expect((await petctl(['pets', 'import', file], env)).stderr).toBe(
    `petctl: 0 created, ${total} existing. Existing ones are skipped without --again.\n`,
  );
  const again = await petctl(['pets', 'import', file, '--again'], env);
  expect(again.stderr).toBe(`petctl: ${total} created.\n`);
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
      if (count === 20) child.kill(signal);
      return { status: 201, body: { id: count } };
    });
    const child = startBinary(['pets', 'import', file, '--failed', failedFile], env);
    child.stdout.resume();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect([code, stderr]).toEqual([
      exit,
      expect.stringMatching(
        /^petctl: Waiting .*\npetctl: \d+ created\. Run the same import again .*\npetctl: Interrupted\.\n$/,
      ),
    ]);
    expect(sorted([...added, ...failedNames()])).toEqual(all(200));
  },
);

test('an import that reads stdin stops at once, and a second Ctrl-C ends the calls in progress', async () => {
  const { env } = await record(() => ({ status: 201, body: { id: 1 } }));
  const child = startBinary(['pets', 'import', '-'], env);
  child.stdin.write(lines(1));
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([130, null]);

  const { env: hanging } = await record((_, count): 'hang' => {
    if (count === 1) second.kill('SIGINT');
    return 'hang';
  });
  writeFileSync(file, lines(5));
  const second = startBinary(['pets', 'import', file], hanging);
  second.stderr.once('data', () => second.kill('SIGINT'));
  expect(await once(second, 'close')).toEqual([null, 'SIGINT']);
});

describe.skipIf(hasNoTerminal)('on a terminal', () => {
  const adding = () => record((_, count) => ({ status: 201, body: { id: count } }));

  test('a progress bar, no wider than the terminal, and the total', async () => {
    const { env } = await adding();
    writeFileSync(file, lines(300));
    const { code, terminal } = await onTerminal(['pets', 'import', file], { env });
    expect(code).toBe(0);
    expect(terminal).toMatch(/\[[#-]{24}\] \d\d? % {2}\d+ created/);
    expect(terminal.endsWith('\r\u001b[Kpetctl: 300 created.\r\n')).toBe(true);
    const narrow = await onTerminal(['pets', 'import', file], { env, columns: 20 });
    for (const bar of narrow.terminal.split('\r\u001b[K').slice(1, -1))
      expect(bar.length).toBeLessThan(20);
  });

  test('results go to a pipe, or with -o to the terminal, without the bar', async () => {
    const { env } = await adding();
    writeFileSync(file, lines(30));
    const piped = await onTerminal(['pets', 'import', file], { env, pipe: true });
    expect([piped.pipe.trimEnd().split('\n').length, piped.terminal.includes(' created')]).toEqual([
      30,
      true,
    ]);
    const shown = await onTerminal(['pets', 'import', file, '-o', 'jsonl'], { env });
    expect(shown.terminal).not.toContain('\u001b');
  });

  test.each([
    [['--quiet'], {}],
    [['-v'], {}],
    [[], { TERM: 'dumb' }],
  ])('no bar with %j %j', async (args, more) => {
    const { env } = await adding();
    writeFileSync(file, lines(30));
    const { terminal } = await onTerminal(['pets', 'import', file, ...args], {
      env: { ...env, ...more },
    });
    expect(terminal).not.toContain('\u001b');
  });

  test('Ctrl-C is typed', async () => {
    writeFileSync(file, lines(200));
    const added: string[] = [];
    const { env } = await record((request, count) => {
      if (count > 60) return 'hang';
      added.push(named(request));
      return { status: 201, body: { id: count } };
    });
    const args = ['pets', 'import', file, '--failed', failedFile, '--timeout', '2s'];
    const { code } = await onTerminal(args, {
      env,
      steps: [{ expect: '\\d+ created', send: '\u0003' }],
    });
    expect(code).toBe(130);
    expect(sorted([...added, ...failedNames()])).toEqual(all(200));
  });
});
