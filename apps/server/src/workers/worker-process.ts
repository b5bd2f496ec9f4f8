import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Config, databaseVariable, keysVariable } from '../config/config.ts';
import { reasonOf } from '../files/files.ts';
import { MAX_LOG_BUFFER_BYTES, WORKER_METRICS_MS } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import type { StopResult } from '../serve.ts';

/** The metrics of a process as data. */
export type MetricsData = Awaited<ReturnType<Metrics['json']>>;

/** The ports of a server. */
export type PortName = 'api' | 'admin';

/** A message from the primary to a worker. Its names must not change, because SIGUSR2 can start workers of a newer version. */
export type ToWorker =
  /** Comes with the socket of a connection that the primary has accepted. */
  | { type: 'connection'; id: number; port: PortName }
  /** Asks for `synced`. Messages arrive in order, but Node drops a `connection` whose file descriptor did not arrive. */
  | { type: 'sync'; id: number }
  /** The whole server will stop: /readyz returns 503, and responses end their connections. */
  | { type: 'announceStop' }
  /** Idle connections are closed at this interval. */
  | { type: 'stop'; idleMs: number }
  /** The keys in the data folder have just changed. */
  | { type: 'keysChanged' }
  /** The number of requests by key that other workers have counted for the rate limits. */
  | { type: 'counted'; requests: Record<string, number> }
  /** Requests the metrics of the worker. */
  | { type: 'collect' }
  /** The metrics of the whole server; without a text if they cannot be aggregated. */
  | { type: 'metrics'; text?: string };

/** A message from a worker to the primary. */
export type ToPrimary = OwnMessage | ServerMessage;

/** A message about the worker itself. */
type OwnMessage =
  | { type: 'ready' }
  /** The worker could not start. */
  | { type: 'failed'; reason: string }
  | { type: 'collected'; metrics: MetricsData }
  /** The worker has stopped. */
  | ({ type: 'stopped' } & StopResult);

/** A message that concerns the whole server: its connections, rate limits or metrics. */
export type ServerMessage =
  /** The worker owns this connection from now on. */
  | { type: 'accepted'; id: number }
  /** The response to `sync`. */
  | { type: 'synced'; id: number }
  /** An accepted connection has been closed. */
  | { type: 'closed'; port: PortName }
  /** The number of requests by key that this worker has counted for the rate limits. */
  | { type: 'counted'; requests: Record<string, number> }
  /** Requests the metrics of the whole server. */
  | { type: 'metrics' };

const entry = fileURLToPath(new URL('../worker.js', import.meta.url));

/** How often the channel of an exited process is checked for messages that were not read yet. */
const CHANNEL_CHECK_MS = 1;

/** A process that serves connections. It runs this program with the same command line. */
export class WorkerProcess {
  state: 'starting' | 'serving' | 'stopping' = 'starting';
  readonly pid: number | undefined;
  readonly startedAt = performance.now();
  /** The metrics that the process sent last. */
  metrics: MetricsData = [];
  /** What the process has reported about its stop. */
  stopped: StopResult | undefined;
  /** Resolves when the process serves, or to the reason why it could not start. */
  readonly started: Promise<string | undefined>;
  /** Resolves when the process has exited and its last message was received. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;
  /** Resolves when requested metrics arrive. */
  #collected: PromiseWithResolvers<void> | undefined;

  /** Starts the process. `onLines` gets whole lines of its log. */
  constructor(
    { apiKeys, databaseUrl }: Config,
    onMessage: (worker: WorkerProcess, message: ServerMessage) => void,
    onLines: (lines: string) => void,
  ) {
    const env = { ...process.env, [keysVariable]: apiKeys, [databaseVariable]: databaseUrl };
    const child = fork(entry, process.argv.slice(2), { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    this.#child = child;
    this.pid = child.pid;
    child.stdout?.on('data', wholeLines(onLines));
    this.exited = exitOf(child);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.started = promise;
    child.on('error', (error) => resolve(`a worker cannot be started (${reasonOf(error)}).`));
    void this.exited.then(({ code, signal }) => {
      resolve(`a worker ended with ${signal ?? code} before it served.`);
      this.#collected?.resolve();
    });
    child.on('message', (message: ToPrimary) => {
      if (message.type === 'ready') resolve(undefined);
      else if (message.type === 'failed') resolve(message.reason);
      else if (message.type === 'stopped') this.stopped = message;
      else if (message.type === 'collected') {
        this.metrics = message.metrics;
        this.#collected?.resolve();
        this.#collected = undefined;
      } else onMessage(this, message);
    });
  }

  /** Sends a message. If the worker has exited, the message is dropped, and `exited` reports the exit. */
  send(message: ToWorker, socket?: Socket): void {
    if (this.#child.connected) this.#child.send(message, socket, { keepOpen: true }, () => {});
  }

  /** Requests the metrics of the process. If it exits or does not send them in time, `metrics` has the previous ones. */
  async updateMetrics(): Promise<void> {
    if (this.state === 'starting') return;
    this.#collected ??= Promise.withResolvers();
    this.send({ type: 'collect' });
    await Promise.race([this.#collected.promise, sleep(WORKER_METRICS_MS, undefined, { ref: false })]);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Resolves when the process has exited and its last message was received. */
function exitOf(child: ChildProcess): WorkerProcess['exited'] {
  return new Promise((resolve) => {
    const end = () => {
      // If a connection was on its way, Node never emits 'disconnect', but `connected` becomes false at the end of the channel.
      if (child.connected) setTimeout(end, CHANNEL_CHECK_MS);
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
  /** The start of a line whose end has not arrived; undefined if the line is too long. */
  let unfinished: Buffer[] | undefined = [];
  let bytes = 0;
  return (chunk) => {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const start = unfinished ? 0 : chunk.indexOf(NEWLINE) + 1;
      onLines(Buffer.concat([...(unfinished ?? []), chunk.subarray(start, end)]).toString());
      unfinished = [];
      bytes = 0;
    }
    bytes += chunk.length - end;
    if (bytes > MAX_LOG_BUFFER_BYTES) unfinished = undefined;
    else unfinished?.push(chunk.subarray(end));
  };
}
