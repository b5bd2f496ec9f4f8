import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { UnderlyingSource } from 'node:stream/web';
import { expect, onTestFinished, test } from 'vitest';
import { type ListenOptions, listen } from '../../src/http/listen.ts';
import { createContext } from '../../src/http/request-context.ts';
import { writeResponse } from '../../src/http/response.ts';
import { parseTarget } from '../../src/http/target-cache.ts';
import { listenOptions } from '../listen.ts';
import { openWire } from './wire.ts';

/** A server whose only response is this stream of bytes, which it begins when `ready` resolves. Errors are added to `errors`. */
async function streaming(
  source: UnderlyingSource<Uint8Array>,
  {
    errors = [],
    ready = async () => {},
    ...options
  }: Partial<ListenOptions> & { errors?: unknown[]; ready?: (response: ServerResponse) => Promise<unknown> } = {},
) {
  const stream = new ReadableStream(source);
  const { origin, drain } = await listen(
    async (request, response) => {
      const context = createContext(request, parseTarget('/'), undefined);
      await ready(response);
      try {
        await writeResponse(response, context, 200, [], { stream, type: 'application/octet-stream' });
      } catch (error) {
        errors.push(error);
      }
    },
    { ...listenOptions, ...options },
  );
  onTestFinished(async () => void (await drain(0)));
  return origin;
}

/** Bytes without end. */
function endless() {
  const state = { cancelled: false };
  const source: UnderlyingSource<Uint8Array> = {
    pull: (controller) => controller.enqueue(new Uint8Array(2 ** 16)),
    cancel: () => {
      state.cancelled = true;
    },
  };
  return { state, source };
}

test('bytes are streamed with their type', async () => {
  const chunks = [Uint8Array.of(0, 255), Uint8Array.of(10)];
  const pull = (controller: ReadableByteStreamController | ReadableStreamDefaultController<Uint8Array>) => {
    const next = chunks.shift();
    if (next) controller.enqueue(next);
    else controller.close();
  };
  const response = await fetch(await streaming({ pull }));
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0, 255, 10]);
});

test('a stream that fails aborts the response', async () => {
  const errors: unknown[] = [];
  const source: UnderlyingSource<Uint8Array> = {
    start: (controller) => controller.enqueue(Uint8Array.of(1)),
    pull: (controller) => controller.error(new Error('the disk is gone')),
  };
  const origin = await streaming(source, { errors });
  const whole = fetch(origin).then((response) => response.arrayBuffer());
  await expect(whole).rejects.toThrow();
  await expect.poll(() => errors).toEqual([new Error('the disk is gone')]);
});

test('a stream that cannot be cancelled is an error', async () => {
  const errors: unknown[] = [];
  const cancel = () => Promise.reject(new Error('the disk is gone'));
  const head = await fetch(await streaming({ cancel }, { errors }), { method: 'HEAD' });
  expect(head.status).toBe(200);
  await expect.poll(() => errors).toEqual([new Error('the disk is gone')]);
});

test('a stream for a client that has disconnected is cancelled', async () => {
  const { state, source } = endless();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const ready = (response: ServerResponse) => {
    begin();
    return once(response, 'close');
  };
  const wire = openWire(await streaming(source, { ready }));
  wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await begun;
  wire.socket.resetAndDestroy();
  await expect.poll(() => state.cancelled).toBe(true);
});

test('a stream is cancelled when the client disconnects, and for HEAD', async () => {
  const { state, source } = endless();
  const errors: unknown[] = [];
  const response = await fetch(await streaming(source, { errors }));
  await response.body?.cancel();
  await expect.poll(() => state.cancelled).toBe(true);
  expect(errors).toEqual([]);

  const unsent = endless();
  const head = await fetch(await streaming(unsent.source), { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  await expect.poll(() => unsent.state.cancelled).toBe(true);
});

test('a stream is cancelled if its client reads nothing for the response timeout', async () => {
  const { state, source } = endless();
  const wire = openWire(await streaming(source, { responseTimeout: 200 }), { reads: false });
  wire.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => state.cancelled, { timeout: 20_000 }).toBe(true);
  wire.socket.destroy();
});
