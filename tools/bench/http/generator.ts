// The load generator, a process of its own: keep-alive connections, each of which sends the next request as soon as it has a
// response. It parses only the status and the length of a response, so that it costs less than any server.
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

/** The instructions for this process. */
export interface Order {
  port: number;
  requests: string[];
  /** The placeholder in a request text that a key of the same length replaces, another one in each request. */
  keyPlaceholder: string;
  status: number;
  connections: number;
  milliseconds: number;
}

/** What this process measured; latencies in milliseconds. */
export interface Result {
  answered: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/** How long a response may still arrive after the time is over. */
const GRACE_MS = 1000;

/** One buffer that all connections read into, one after the other. */
const buffer = Buffer.allocUnsafe(65_536);

let sockets: Socket[] = [];
let begin = () => {};

if (import.meta.main) {
  process.on('message', (message: Order | 'go' | 'close') => {
    if (message === 'go') begin();
    else if (message === 'close') close();
    else prepare(message);
  });
  process.on('disconnect', () => process.exit());
}

/** Connects, waits for one response on each connection, so that all are established, and waits for 'go'. */
function prepare(order: Order): void {
  const requests = order.requests.map((text) => ({
    bytes: Buffer.from(text),
    keyAt: text.indexOf(order.keyPlaceholder),
  }));
  // In microseconds.
  const latencies = createHistogram();
  const senders: (() => void)[] = [];
  const run = String(Date.now()).padStart(13, '0');
  let [sent, ready, finished] = [0, 0, 0];
  let [started, lastAt, deadline] = [0, 0, 0];

  sockets = Array.from({ length: order.connections }, () => {
    let partial: PartialResponse | undefined;
    let sentAt = 0;
    const send = () => {
      const request = requests[sent % requests.length];
      const bytes = request && request.keyAt >= 0 ? Buffer.from(request.bytes) : request?.bytes;
      if (request && request.keyAt >= 0)
        bytes?.write(`${run}${String(sent).padStart(23, '0')}`, request.keyAt, 'latin1');
      sent++;
      sentAt = performance.now();
      socket.write(bytes ?? '');
    };
    let onResponse = () => {
      onResponse = measured;
      senders.push(send);
      if (++ready === order.connections) process.send?.('ready');
    };
    const measured = () => {
      const now = performance.now();
      if (now > deadline) return finish();
      latencies.record(Math.ceil((now - sentAt) * 1000));
      lastAt = now;
      send();
    };
    const callback = (length: number) => {
      partial = parseChunk(buffer.subarray(0, length), partial);
      if (partial.left > 0) return true;
      if (partial.status === order.status) onResponse();
      else fail(`The server answered ${partial.status}.`);
      partial = undefined;
      return true;
    };
    const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
    return socket
      .on('connect', send)
      .on('error', ({ message }) => fail(message))
      .on('close', () => fail('The server closed the connection.'));
  });

  let timer: NodeJS.Timeout | undefined;
  begin = () => {
    started = performance.now();
    deadline = started + order.milliseconds;
    timer = setTimeout(report, order.milliseconds + GRACE_MS);
    for (const send of senders) send();
  };
  const finish = () => {
    if (++finished === order.connections) report();
  };
  const report = () => {
    clearTimeout(timer);
    // Later responses do not count.
    finished = Number.NaN;
    const answered = latencies.count;
    const perSecond = (answered * 1000) / (lastAt - started);
    const [p50, p99] = [latencies.percentile(50) / 1000, latencies.percentile(99) / 1000];
    process.send?.({ answered, perSecond, p50, p99 } satisfies Result);
  };
}

function close(): void {
  for (const socket of sockets) socket.removeAllListeners().destroy();
  sockets = [];
}

function fail(error: string): void {
  close();
  process.send?.({ error });
}

/** The state of a response that may be incomplete. */
export interface PartialResponse {
  status: number;
  /** Bytes still to come; infinite before the end of the header. */
  left: number;
  /** The bytes received so far, while they have to be parsed again. */
  begun?: Buffer;
}

/** Parses the next chunk of a response, which lies in a reused buffer. No bytes follow a response before the next request. */
export function parseChunk(chunk: Buffer, before: PartialResponse | undefined): PartialResponse {
  if (before && !before.begun) return { status: before.status, left: before.left - chunk.length };
  const bytes = before?.begun ? Buffer.concat([before.begun, chunk]) : chunk;
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('latin1', 0, Math.max(end, 0));
  const status = Number(head.slice(9, 12));
  if (end < 0) return { status, left: Number.POSITIVE_INFINITY, begun: Buffer.from(bytes) };
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error(`The response has no Content-Length: ${head}`);
  return { status, left: end + 4 + Number(length) - bytes.length };
}
