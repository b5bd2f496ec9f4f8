import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { missingProgram, skips } from '@petstore/testing';
import { expect, test } from 'vitest';

const log = new URL('../src/log.ts', import.meta.url).href;

/** The entries that a program with a log of this level writes. */
function logged(level: string, program: string): Record<string, unknown>[] {
  const script = `import { createLog } from '${log}'; const { log, logRequest } = createLog('${level}'); ${program}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const entry = {
  requestId: 'a"b\\',
  method: 'GET',
  path: '/v1/pets/"\\ é',
  operation: 'getPet',
  key: 'ci',
  status: 404,
  ms: 0.123,
  aborted: true,
};

test('a request is logged in the format of any other entry', () => {
  const lines = logged('info', `const entry = ${JSON.stringify(entry)}; logRequest(entry); log.info(entry);`);
  expect(lines).toHaveLength(2);
  const [request, other] = lines.map((line) => ({ ...line, time: typeof line.time }));
  expect(Object.entries(request ?? {})).toEqual(Object.entries(other ?? {}));
  expect(request).toMatchObject({ ...entry, time: 'number' });
});

test('the level warn omits requests', () => {
  expect(logged('warn', `logRequest(${JSON.stringify(entry)}); log.warn('one');`)).toMatchObject([{ msg: 'one' }]);
});

test.skipIf(skips('the log on a terminal', missingProgram('python3', ['-c', 'import pty']), 'python3'))(
  'a terminal shows each request in one line, and an error with its stack and cause',
  () => {
    const program = `logRequest(${JSON.stringify(entry)}); logRequest({ requestId: 'a', status: 400, ms: 0 });
      log.error({ requestId: 'a', err: new Error('outer', { cause: new Error('inner') }) });
      log.error({ reason: 'the reason' }, 'it did not start');`;
    const script = `import { createLog } from '${log}'; const { log, logRequest } = createLog('info'); ${program}`;
    const argv = [process.execPath, '--input-type=module', '-e', script];
    const python = 'import pty, sys; pty.spawn(sys.argv[1:])';
    const { stdout } = spawnSync('python3', ['-c', python, ...argv], { encoding: 'utf8' });
    const [request, malformed, ...errors] = stripVTControlCharacters(stdout).split('\r\n');
    expect(request).toMatch(/INFO: GET .* 404 in 0.123 ms$/);
    expect(malformed).toMatch(/INFO: malformed request 400 in 0 ms$/);
    expect(errors.join('\n')).toMatch(
      /ERROR: outer\n.*Error: outer\n +at .*caused by: Error: inner\n +at .*ERROR: it did not start\n +reason: "the reason"\n/s,
    );
  },
);

test('the last lines are written, however the process ends', () => {
  for (const end of ['', 'process.exit(3)', 'setTimeout(() => process.exit(), 1)']) {
    const lines = logged('info', `for (let i = 0; i < 500; i++) log.info({ i }); ${end}`);
    expect(lines.map(({ i }) => i)).toEqual(Array.from({ length: 500 }, (_, i) => i));
  }
});
