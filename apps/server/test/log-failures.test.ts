import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { missingProgram, newFolder, skips } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { beginRequest } from './http/wire.ts';
import { fillLog, lostLines, reportedLoss } from './log-lines.ts';
import { main, startOnFolder } from './server-process.ts';

const stopped = { code: 0, signal: null };

test('a log reader that stops blocks nobody, and gets the number of lost lines', async () => {
  const { child, origin, ended } = await startOnFolder(newFolder());
  await fillLog(origin, 200);
  await expect.poll(() => lostLines(origin)).toBeGreaterThan(0);
  expect(await reportedLoss(child)).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await ended).toEqual(stopped);
});

test('a log reader that exits does not stop the server', async () => {
  const { child, origin, ended } = await startOnFolder(newFolder());
  child.stdout?.destroy();
  await fillLog(origin, 200);
  await expect.poll(() => lostLines(origin)).toBeGreaterThan(100);
  child.kill('SIGTERM');
  expect(await ended).toEqual(stopped);
});

test('a full log disk does not stop the server', async () => {
  const { child, origin, ended } = await startOnFolder(newFolder(), [], { stdout: openSync('/dev/full', 'w') });
  await fillLog(origin, 200);
  await expect.poll(() => lostLines(origin)).toBeGreaterThan(0);
  child.kill('SIGTERM');
  expect(await ended).toEqual(stopped);
});

/** A Python program that opens a terminal, prints its path and the address that a server writes to it, and then reads no more. */
const TERMINAL = `
import os, pty, re
reader, terminal = pty.openpty()
print(os.ttyname(terminal), flush=True)
shown = b''
while not (address := re.search(rb'(http://[0-9.]+:[0-9]+)["/]', shown)): shown += os.read(reader, 4096)
print(address[1].decode(), flush=True)
input()`;

test.skipIf(skips('the log on a terminal that stops', missingProgram('python3', ['-c', 'import pty']), 'python3'))(
  'a terminal that is no longer read blocks neither requests nor the end of the server',
  async () => {
    const python = spawn('python3', ['-c', TERMINAL]);
    const lines = createInterface(python.stdout)[Symbol.asyncIterator]();
    const terminal = openSync(String((await lines.next()).value), constants.O_WRONLY | constants.O_NOCTTY);
    const args = [main, '--port=0', '--shutdown-timeout=0.1', `--data-dir=${newFolder()}`];
    const env = { ...process.env, PETSTORE_API_KEYS: apiKey };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', terminal, terminal] });
    onTestFinished(() => {
      child.kill('SIGKILL');
      python.kill();
    });
    const origin = String((await lines.next()).value);
    await fillLog(origin, 200);
    await expect.poll(() => lostLines(origin)).toBeGreaterThan(0);
    await beginRequest(origin);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  },
);
