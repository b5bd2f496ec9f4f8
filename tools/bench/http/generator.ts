// The load generator, a process of its own: keep-alive connections, each of which sends the next request as soon as it has a
// response. It parses only the status and the length of a response, so that it costs less than any server.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

/** The instructions for this process. */
export interface Order {
  port: number;
  requests: string[];
  /** The placeholder for the idempotency key in a request. Each request has another key, of the same length. */
  keyPlaceholder: string;
  status: number;
  connections: number;
  milliseconds: number;
}

/** What this process measured; latencies in milliseconds. */
export interface Result {
  responses: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/** One buffer that all connections read into, one after the other. */
const buffer = Buffer.allocUnsafe(65_536);

if (import.meta.main) {
  process.on('message', (message: Order | 'go' | 'close') => {
    if (typeof message === 'object') run(message).catch(({ message: error }) => process.send?.({ error }));
  });
  process.on('disconnect', () => process.exit());
}

/** Connects, waits for one response on each connection, so that all are established, measures after 'go', and ends at 'close'. */
async function run({ port, connections, status, milliseconds, ...texts }: Order): Promise<void> {
  const requests = requestsOf(texts);
  const all = Array.from({ length: connections }, () => new Connection(port, status));
  try {
    await Promise.all(all.map((connection) => connection.exchange(requests.next().value)));
    process.send?.('ready');
    await once(process, 'message');
    // In microseconds.
    const latencies = createHistogram();
    const started = performance.now();
    const measure = async (connection: Connection) => {
      for (let sentAt = started; sentAt < started + milliseconds; ) {
        await connection.exchange(requests.next().value);
        const now = performance.now();
        latencies.record(Math.ceil((now - sentAt) * 1000));
        sentAt = now;
      }
    };
    await Promise.all(all.map(measure));
    const perSecond = (latencies.count * 1000) / (performance.now() - started);
    const [p50, p99] = [latencies.percentile(50) / 1000, latencies.percentile(99) / 1000];
    process.send?.({ responses: latencies.count, perSecond, p50, p99 } satisfies Result);
    // The time that the server needs to close connections is not measured.
    await once(process, 'message');
  } finally {
    for (const connection of all) connection.socket.destroy();
  }
}

/** The requests in turn, each with another key in place of the placeholder. */
function* requestsOf({
  requests,
  keyPlaceholder,
}: Pick<Order, 'requests' | 'keyPlaceholder'>): Generator<Buffer, never> {
  const templates = requests.map((text) => ({ bytes: Buffer.from(text), keyAt: text.indexOf(keyPlaceholder) }));
  const prefix = String(Date.now()).padStart(13, '0');
  for (let sent = 0; ; ) {
    for (const { bytes, keyAt } of templates) {
      const request = keyAt < 0 ? bytes : Buffer.from(bytes);
      if (keyAt >= 0) request.write(`${prefix}${String(sent++).padStart(23, '0')}`, keyAt, 'latin1');
      yield request;
    }
  }
}

/** A keep-alive connection that expects responses of one status. */
class Connection {
  readonly socket: Socket;
  #respond = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(port: number, status: number) {
    let partial: PartialResponse | undefined;
    const callback = (length: number) => {
      partial = parseChunk(buffer.subarray(0, length), partial);
      if (partial.left > 0) return true;
      if (partial.status === status) this.#respond();
      else this.#fail(new Error(`The server returned ${partial.status}.`));
      partial = undefined;
      return true;
    };
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
    this.socket.on('error', (error) => this.#fail(error));
    this.socket.on('close', () => this.#fail(new Error('The server closed the connection.')));
  }

  /** Sends a request, and resolves when its response has arrived. */
  exchange(request: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#respond = resolve;
      this.#fail = reject;
      this.socket.write(request);
    });
  }
}

/** The state of a response that may be incomplete. */
export interface PartialResponse {
  status: number;
  /** Bytes still to come; infinite before the end of the header. */
  left: number;
  /** The received bytes, while the header is incomplete. */
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
