import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newFolder, rounds } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import { expect, test } from 'vitest';
import { beginRequest, openWire } from './http/wire.ts';
import { listen } from './listen.ts';
import { preload, startOnFolder } from './server-process.ts';

const head = `Host: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n`;
const body = '{"name":"Rex","categoryId":1}';

// main.test.ts ends servers with the other signals.
test.each(rounds(['SIGHUP'] as const, ['SIGTERM', 'SIGINT', 'SIGHUP'] as const))(
  '%s ends a server without requests with 0, and its start and its stop are lines of the log',
  async (signal) => {
    const { child, origin, ended } = await startOnFolder(newFolder());
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.kill(signal);
    expect(await ended).toEqual({ code: 0, signal: null });
    const lines = output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { msg: 'started', origin },
      { msg: 'stopping' },
      { msg: 'stopped', abortedRequests: 0 },
    ]);
  },
);

test('a server that aborts a request exits with 1', async () => {
  const { child, origin, ended } = await startOnFolder(newFolder(), ['--shutdown-timeout', '1']);
  await beginRequest(origin);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 1, signal: null });
});

const connections = [
  ['without a request yet', ''],
  ['whose requests have got responses', `GET /healthz HTTP/1.1\r\n${head}\r\n`],
] as const;

/** Opens a connection with a first request, and resolves when the server has responded. */
async function openConnection(origin: string, before: string) {
  const { socket, send } = openWire(origin);
  send(before);
  await once(socket, before ? 'data' : 'connect');
  return socket;
}

test.each(connections)('the incomplete request of a connection %s counts as aborted by the stop', async (_, before) => {
  const { origin, drain } = await listen();
  const socket = await openConnection(origin, before);
  socket.write('GET /v1/pets HTTP/1.1\r\n');
  // A response on a later connection proves that the server has read this one.
  await fetch(`${origin}/healthz`);
  expect(await drain(500)).toBe(1);
});

test('idle connections do not delay the stop', async () => {
  const argv = ['--shutdown-timeout', '600', '--headers-timeout', '600', '--request-timeout', '600'];
  const { child, origin, ended } = await startOnFolder(newFolder(), argv);
  for (const [, before] of connections) await openConnection(origin, before);
  await fetch(`${origin}/healthz`);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, signal: null });
});

test.each(['once', 'twice'])('a hanging disk does not delay a server that is stopped %s', async (times) => {
  const folder = newFolder();
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  // Nothing writes to the pipe, so each of these blocks one of Node's threads, like a call to a dead disk.
  const stall = `import { open } from 'node:fs';
    process.on('SIGUSR2', () => { for (let i = 0; i < 4; i++) open('${fifo}', 'r', () => {}); console.log('{"msg":"stalled"}'); });`;
  const timeout = times === 'once' ? '1' : '600';
  const argv = ['--shutdown-timeout', timeout, '--log-level', 'warn'];
  const { child, origin, ended } = await startOnFolder(folder, argv, { env: preload(stall) });
  // Loads the Express app first: Node 22 reads modules in the threads that will block.
  await fetch(`${origin}/healthz`);
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  child.kill('SIGUSR2');
  await once(lines, 'line');
  openWire(origin).send(`POST /v1/pets HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  // A response on a later connection proves that the server has read this one.
  await fetch(`${origin}/healthz`);
  child.kill('SIGTERM');
  if (times === 'twice') {
    await expect
      .poll(() =>
        fetch(origin).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed');
    child.kill('SIGTERM');
  }
  expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
});

test('during the drain delay, new requests are served, and /readyz is 503', async () => {
  const { child, origin, ended } = await startOnFolder(newFolder(), ['--drain-delay', '600']);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(503);
  const headers = { authorization: `Bearer ${apiKey}` };
  expect((await fetch(`${origin}/v1/pets`, { headers })).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
});

test("with an admin port, the operators' routes are only on that port", async () => {
  const { origin, adminOrigin } = await startOnFolder(newFolder(), ['--admin-port', '0']);
  for (const path of ['/metrics', '/healthz', '/readyz']) {
    expect((await fetch(adminOrigin + path)).status).toBe(200);
    expect((await fetch(origin + path)).status).toBe(404);
  }
  for (const path of ['/', '/docs', '/v1/pets']) expect((await fetch(adminOrigin + path)).status).toBe(404);
});
