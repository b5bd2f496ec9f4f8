// The load generator, a process of its own. Each of its connections sends the next request as soon
// as it has a response. It reads only the status and the length of a response, so that it costs
// less than any server.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { apiKey, type BenchRequest, CONCURRENCY, type Row, rows } from './workload.ts';

const successes = new Set(['200', '201']);
const contentLength = /\ncontent-length: *(\d+)/i;

/** Asks for requests to a port, until all are sent or the time is over. */
export interface LoadCommand {
  readonly port: number;
  readonly row: Row;
  readonly count: number;
  readonly milliseconds: number;
}

/** What a load has measured. Latencies are in milliseconds. */
export interface LoadResult {
  readonly responses: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

let connections: Connection[] = [];
let connectedPort = 0;
/** How many requests were sent in all loads, so that each load goes on with other requests. */
let sent = 0;

process.on('message', async (command: LoadCommand) => {
  if (command.port !== connectedPort) await connectTo(command.port);
  process.send?.(await load(command));
});
// The bench has ended.
process.on('disconnect', () => process.exit());

async function connectTo(port: number): Promise<void> {
  for (const connection of connections) connection.close();
  connections = Array.from({ length: CONCURRENCY }, () => new Connection(port));
  await Promise.all(connections.map((connection) => connection.opened));
  connectedPort = port;
}

async function load({ row, count, milliseconds }: LoadCommand): Promise<LoadResult> {
  const requests = rows[row].map(bytesOf);
  const microseconds = createHistogram();
  const started = performance.now();
  let left = count;
  const sendUntilEnd = async (connection: Connection) => {
    let sentAt = performance.now();
    while (left > 0 && sentAt < started + milliseconds) {
      left--;
      sent++;
      await connection.exchange(requests[sent % requests.length] as Buffer);
      const now = performance.now();
      microseconds.record(Math.ceil((now - sentAt) * 1000));
      sentAt = now;
    }
  };
  await Promise.all(connections.map(sendUntilEnd));
  return {
    responses: microseconds.count,
    perSecond: (microseconds.count * 1000) / (performance.now() - started),
    p50: microseconds.percentile(50) / 1000,
    p99: microseconds.percentile(99) / 1000,
  };
}

function bytesOf({ method, target, body = '' }: BenchRequest): Buffer {
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${apiKey}`,
  ];
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A keep-alive connection, which exchanges one request and response at a time. */
class Connection {
  readonly opened: Promise<unknown>;
  readonly #socket: Socket;
  /** How many bytes of the response have not arrived yet. 0 before a response. */
  #missing = 0;
  /** Resolves what `exchange` returned. */
  #responded = () => {};

  constructor(port: number) {
    // All pieces are read into the same memory, which costs less than the events of a stream.
    const buffer = Buffer.alloc(2 ** 16);
    const callback = (length: number) => this.#read(buffer.subarray(0, length));
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer, callback },
    });
    this.opened = once(this.#socket, 'connect');
    this.#socket.on('end', () => {
      throw new Error('The server closed a connection.');
    });
  }

  /** Resolves when the response has arrived. */
  exchange(request: Buffer): Promise<void> {
    this.#socket.write(request);
    return new Promise((resolve) => {
      this.#responded = resolve;
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): boolean {
    if (this.#missing === 0) this.#missing = lengthOf(bytes);
    this.#missing -= bytes.length;
    if (this.#missing === 0) this.#responded();
    return true;
  }
}

/** The length of a response, from its first piece. Servers send the whole head in that. */
function lengthOf(piece: Buffer): number {
  const headLength = piece.indexOf('\r\n\r\n') + 4;
  const head = piece.toString('latin1', 0, headLength);
  const status = head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
  const bodyLength = contentLength.exec(head)?.[1];
  if (!successes.has(status) || bodyLength === undefined)
    throw new Error(`The load got a response that it does not expect:\n${piece}`);
  return headLength + Number(bodyLength);
}
