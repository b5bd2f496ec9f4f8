import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { scratch } from './petctl.ts';
import { errorReply, pageBefore, record, serving } from './recorder.ts';
import { hasNoTerminal, onTerminal } from './terminal.ts';

let env: Record<string, string>;
beforeAll(async () => {
  const names = ['Rex', '日本の長い名前の猫です', 'The uncommonly long name of a pet, to be shortened'];
  ({ env } = await record(serving(names.map((name, i) => ({ id: i + 1, name, categoryId: 1 })))));
});

const linesOf = async (args: string[], columns = 80, more: Record<string, string> = {}) =>
  (await onTerminal(['pets', 'list', ...args], { env: { ...env, ...more }, columns })).terminal.split('\r\n');

describe.skipIf(hasNoTerminal)('on a terminal', () => {
  const bold = '\u001b[1m';

  test('a list is a table with a bold header, shortened to the width', async () => {
    const [header, first, second, third] = await linesOf([], 40);
    expect(header).toBe(`${bold}ID  NAME             CATEGORY ID  STATUS\u001b[22m`);
    expect(first).toBe('1   Rex              1');
    expect(second).toBe('2   日本の長い名前…  1');
    expect(third).toBe('3   The uncommonly…  1');
  });

  test('without colours if they are disabled', async () => {
    for (const [args, more] of [
      [['--no-color'], {}],
      [[], { NO_COLOR: '1' }],
      [[], { TERM: 'dumb' }],
    ] as const)
      expect((await linesOf([...args], 80, more))[0]).toMatch(/^ID {2}NAME/);
  });

  test('json is indented, without colours', async () => {
    expect((await linesOf(['-o', 'json', '--limit', '1', '-q'])).slice(0, 3)).toEqual(['[', '  {', '    "id": 1,']);
  });

  test('an error begins a line, also if the data before it has not ended its own', async () => {
    const { env: failing } = await record((_, count) =>
      count === 1 ? pageBefore('?after=1') : errorReply(400, 'invalid_request'),
    );
    const { code, terminal } = await onTerminal(['pets', 'list', '--all', '-o', 'json'], { env: failing });
    expect([code, terminal]).toEqual([
      6,
      expect.stringMatching(/^\[\r\n {2}\{\r\n {4}"id": 1\r\n {2}\}\r\n\{"error":/),
    ]);
  });

  test('the progress of an import erases no result', async () => {
    const { env: adding } = await record(async (_, count) => {
      // The first result is written before the second one moves the progress bar.
      await setTimeout(300);
      return { status: 201, body: { id: count } };
    });
    const file = join(scratch, 'two.jsonl');
    writeFileSync(file, '{"name":"A","categoryId":1}\n{"name":"B","categoryId":1}\n');
    const args = ['pets', 'import', file, '-o', 'json', '--concurrency', '1'];
    const { terminal } = await onTerminal(args, { env: adding });
    const [, after = ''] = terminal.split('"id": 1\r\n  }');
    expect(after).toMatch(/^\r\n/);
  });

  test('Ctrl-C in the middle of a call ends with 130', async () => {
    const { env: hanging } = await record(() => 'hang');
    const { code, terminal } = await onTerminal(['pets', 'list', '-v'], {
      env: hanging,
      steps: [{ expect: '> GET', send: '\u0003' }],
    });
    expect(code).toBe(130);
    expect(terminal).toContain('petctl: Interrupted.');
  });

  test("a service's error is escaped", async () => {
    const { env: hostile } = await record(() => ({
      status: 400,
      body: { code: 'invalid_request', message: 'x\u001b]0;owned\u0007\u009b2J', status: 400 },
    }));
    const { terminal } = await onTerminal(['pets', 'list'], { env: hostile });
    expect(terminal).toContain('x\\u001b]0;owned\\u0007\\u009b2J');
  });

  // The usage line and the names of flags are not wrapped.
  test('help wraps descriptions to the width', async () => {
    const { terminal } = await onTerminal(['pets', 'list', '--help'], { columns: 60 });
    for (const line of terminal.split('\r\n').filter((text) => !text.includes('#')))
      expect(line.length).toBeLessThanOrEqual(70);
  });
});
