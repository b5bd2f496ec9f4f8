import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { listen } from '../../src/http/listen.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { listenForSuite, listenOptions } from '../listen.ts';
import { openWire } from './wire.ts';

const server = listenForSuite();

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function held(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test('a thousand content types use no lasting memory', async () => {
  const call = async (types: string[]) => {
    const wire = openWire(server().origin);
    const requestOf = (type: string, method: string, length: string) =>
      `${method} /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server().apiKey}\r\nContent-Type: ${type}\r\n${length}`;
    for (const type of types) {
      wire.send(`${requestOf(type, 'GET', '')}\r\n${requestOf(type, 'POST', 'Content-Length: 2\r\n')}\r\n{}`);
    }
    const statuses = (await wire.until(2 * types.length)).map(({ status }) => status);
    wire.socket.destroy();
    expect(new Set(statuses)).toEqual(new Set([200, 415]));
  };
  await call(Array.from({ length: 200 }, (_, i) => `application/warm-${i}`));
  const before = held();
  await call(Array.from({ length: 1000 }, (_, i) => `application/x-${i}; charset=utf-8`));
  // If the validator saw the content types, it would retain over twelve megabytes.
  expect((held() - before) / 2 ** 20).toBeLessThan(4);
});

test('an idle connection does not hold its last body', async () => {
  const body = `[${'{},'.repeat(100_000)}{}]`;
  const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server().apiKey}\r\nContent-Type: application/json`;
  const before = held();
  const wires = Array.from({ length: 10 }, () => openWire(server().origin));
  for (const wire of wires) {
    wire.send(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    expect(await wire.until(1)).toMatchObject([{ status: 400 }]);
  }
  // The values of one body take over six megabytes.
  await expect.poll(() => (held() - before) / 2 ** 20).toBeLessThan(12);
  for (const { socket } of wires) socket.destroy();
});

test('a stopped server is not held in memory', async () => {
  const startAndStop = async () => {
    const app = await createApp(memoryStore(), { keys: () => undefined });
    await (await listen(app, listenOptions)).drain(0);
    return new WeakRef(app);
  };
  const apps = [await startAndStop(), await startAndStop()];
  await expect
    .poll(() => {
      collect();
      return apps.filter((app) => app.deref() !== undefined);
    })
    .toEqual([]);
});
