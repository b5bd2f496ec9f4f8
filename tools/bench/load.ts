// The load generator: keep-alive connections, each of which sends the next request as soon as it has a response. It parses only
// the status and the length of a response, so that it costs less than any server.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { apiKey, type Load, loads } from './workload.ts';

export const connections = 64;

export interface Result {
  readonly responses: number;
  readonly perSecond: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Sends the requests of a load for a time. Each connection has had one response before the clock starts. */
export async function send(port: number, load: Load, milliseconds: number): Promise<Result> {
  const { method, paths, body } = loads[load];
  const more = body && `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n${more}\r\n${body}`;
  const requests = paths.map((path) => Buffer.from(`${method} ${path} ${head}`));
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let sent = 0;
  const next = (socket: Socket) => exchange(socket, requests[sent++ % requests.length] ?? Buffer.of());
  try {
    await Promise.all(sockets.map(next));
    // In microseconds.
    const latencies = createHistogram();
    const started = performance.now();
    const measure = async (socket: Socket) => {
      for (let sentAt = started; sentAt < started + milliseconds; ) {
        await next(socket);
        const now = performance.now();
        latencies.record(Math.ceil((now - sentAt) * 1000));
        sentAt = now;
      }
    };
    await Promise.all(sockets.map(measure));
    const perSecond = (latencies.count * 1000) / (performance.now() - started);
    const [p50, p99] = [latencies.percentile(50) / 1000, latencies.percentile(99) / 1000];
    return { responses: latencies.count, perSecond, p50, p99 };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** Sends a request, and resolves when its response has arrived. */
function exchange(socket: Socket, request: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let begun: Buffer = Buffer.of();
  let left = Number.NaN;
  const fail = (problem: unknown) => reject(new Error(`The load failed: ${problem}`));
  const closed = () => fail('the server closed a connection');
  const onData = (bytes: Buffer) => {
    left -= bytes.length;
    if (Number.isNaN(left)) {
      begun = begun.length === 0 ? bytes : Buffer.concat([begun, bytes]);
      const end = begun.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = begun.toString('latin1', 0, end);
      const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
      if (!/^HTTP\/1\.1 20[01]/.test(head) || length === undefined) fail(head);
      left = end + 4 + Number(length) - begun.length;
    }
    if (left > 0) return;
    socket.off('data', onData).off('close', closed);
    resolve();
  };
  socket.on('data', onData).on('close', closed).once('error', fail);
  socket.write(request);
  return promise.finally(() => socket.off('error', fail));
}
