// The process that generates the load. Each of its connections sends the next request as soon
// as it has a response.
import { createHistogram } from 'node:perf_hooks';
import { Connection } from './connection.ts';
import { apiKey, type BenchRequest, CONCURRENCY, type Row, rows } from './workload.ts';

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
/** Counts the requests of all loads, so that each load goes on with other requests. */
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
