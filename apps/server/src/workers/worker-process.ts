import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Config, databaseVariable, keysVariable } from '../config/config.ts';
import { MAX_LOG_BUFFER_BYTES } from '../limits.ts';
import type { Metrics } from '../metrics.ts';

/** The metrics of a process as data. */
export type MetricsData = Awaited<ReturnType<Metrics['json']>>;

/** The ports of a server. */
export type PortName = 'api' | 'admin';

/** A message from the primary to a worker. */
export type ToWorker =
  /** Comes with the socket of a connection that the primary has accepted. */
  | { type: 'connection'; id: number; port: PortName }
  /** Asks for `synced`. It arrives after all earlier messages, but a message whose connection got no file descriptor is lost. */
  | { type: 'sync'; id: number }
  /** The whole server will stop: /readyz answers 503, and responses end their connections. */
  | { type: 'announceStop' }
  /** Idle connections are closed after this time. */
  | { type: 'stop'; idleMs: number }
  /** The keys in the data folder have just changed. */
  | { type: 'keysChanged' }
  /** The number of requests by key that other workers have counted for the rate limits. */
  | { type: 'counted'; requests: Record<string, number> }
  /** Requests the metrics of the worker. */
  | { type: 'collect'; id: number }
  /** The metrics of the whole server. */
  | { type: 'metrics'; id: number; text: string };

/** A message from a worker to the primary. */
export type ToPrimary =
  | { type: 'ready' }
  /** The worker could not start. */
  | { type: 'failed'; reason: string }
  /** The worker owns this connection from now on. */
  | { type: 'accepted'; id: number }
  /** The response to `sync`. */
  | { type: 'synced'; id: number }
  /** An accepted connection has been closed. */
  | { type: 'closed'; port: PortName }
  /** The number of requests by key that this worker has counted for the rate limits. */
  | { type: 'counted'; requests: Record<string, number> }
  | { type: 'collected'; id: number; metrics: MetricsData }
  /** Requests the metrics of the whole server. */
  | { type: 'metrics'; id: number }
  /** The worker has stopped. `cut` is the number of aborted requests. */
  | { type: 'stopped'; cut: number; isClosed: boolean; metrics: MetricsData };

export interface WorkerEvents {
  onMessage(worker: WorkerProcess, message: ToPrimary): void;
  /** Called with whole lines of the worker's log. */
  onLines(lines: string): void;
}

export type WorkerState = 'starting' | 'serving' | 'stopping';

const entry = fileURLToPath(new URL('../worker.js', import.meta.url));

/** How often an exited process is checked for messages that were not read yet. */
const CHANNEL_END_MS = 1;

/** A process that serves connections. It runs this program with the same command line. */
export class WorkerProcess {
  state: WorkerState = 'starting';
  readonly since = performance.now();
  /** The metrics that the process sent last. */
  metrics: MetricsData = [];
  /** Resolves when the process has exited and its last message was received. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;

  constructor({ apiKeys, databaseUrl }: Config, { onMessage, onLines }: WorkerEvents) {
    const env = { ...process.env, [keysVariable]: apiKeys, [databaseVariable]: databaseUrl };
    const child = fork(entry, process.argv.slice(2), { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    this.#child = child;
    child.on('message', (message: ToPrimary) => onMessage(this, message));
    child.stdout?.on('data', wholeLines(onLines));
    this.ended = exitOf(child);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a message. If the worker has exited, `ended` reports that. */
  send(message: ToWorker, socket?: Socket): void {
    if (this.#child.connected) this.#child.send(message, socket, { keepOpen: true }, () => {});
  }

  sendConnection(id: number, port: PortName, socket: Socket): void {
    this.send({ type: 'connection', id, port }, socket);
  }

  sendSync(id: number): void {
    this.send({ type: 'sync', id });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Resolves when the process has exited and its last message was received. */
function exitOf(child: ChildProcess): WorkerProcess['ended'] {
  return new Promise((resolve) => {
    const end = () => {
      // If a connection was on its way, Node never emits 'disconnect', but `connected` becomes false at the end of the channel.
      if (child.connected) setTimeout(end, CHANNEL_END_MS);
      else setImmediate(() => resolve({ code: child.exitCode, signal: child.signalCode }));
    };
    child.on('close', end);
    child.on('error', () => {
      // The process could not be created, and emits nothing else.
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}

const NEWLINE = 0x0a;

/** Joins chunks to whole lines. Drops a line that is longer than the buffer of the log, and a last line without a line feed. */
function wholeLines(onLines: (lines: string) => void): (chunk: Buffer) => void {
  let partialLine: Buffer[] = [];
  let bytes = 0;
  return (chunk) => {
    const isTooLong = bytes > MAX_LOG_BUFFER_BYTES;
    const start = isTooLong ? chunk.indexOf(NEWLINE) + 1 : 0;
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      onLines(Buffer.concat([...partialLine, chunk.subarray(start, end)]).toString());
      partialLine = [];
      bytes = 0;
    }
    bytes += chunk.length - end;
    if (bytes > MAX_LOG_BUFFER_BYTES) partialLine = [];
    else if (chunk.length > end) partialLine.push(chunk.subarray(end));
  };
}
