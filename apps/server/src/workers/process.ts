import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Config, databaseVariable, keysVariable } from '../config/config.ts';
import { wholeLines } from './lines.ts';
import type { MetricsData, PortName, ToPrimary, ToWorker } from './messages.ts';

export interface WorkerEvents {
  onMessage(worker: WorkerProcess, message: ToPrimary): void;
  /** Called with lines of its log. */
  onLines(lines: string): void;
}

export type WorkerState = 'starting' | 'serving' | 'stopping';

const entry = fileURLToPath(new URL('../worker.js', import.meta.url));

/** How often it is looked whether the channel of a process that has ended is read to its end. */
const CHANNEL_END_MS = 1;

/** A process that serves connections: this program once more, with the same command line. */
export class WorkerProcess {
  state: WorkerState = 'starting';
  readonly since = performance.now();
  /** The metrics that it sent last. */
  metrics: MetricsData = [];
  /** Resolves when it has ended, and everything that it sent was received. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;

  constructor({ apiKeys, databaseUrl }: Config, { onMessage, onLines }: WorkerEvents) {
    const env = { ...process.env, [keysVariable]: apiKeys, [databaseVariable]: databaseUrl };
    const child = fork(entry, process.argv.slice(2), { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    this.#child = child;
    child.on('message', (message: ToPrimary) => onMessage(this, message));
    child.stdout?.on('data', wholeLines(onLines));
    this.ended = ending(child);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  send(message: ToWorker, socket?: Socket): void {
    // Where the worker is gone, its end says so.
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

/** Resolves when the process has ended and its last message was received. */
function ending(child: ChildProcess): WorkerProcess['ended'] {
  return new Promise((resolve) => {
    const end = () => {
      // Where a connection was on its way, Node never emits 'disconnect', but this becomes false at the end of the channel.
      if (child.connected) setTimeout(end, CHANNEL_END_MS);
      else setImmediate(() => resolve({ code: child.exitCode, signal: child.signalCode }));
    };
    child.on('close', end);
    child.on('error', () => {
      // There can be no more processes, and nothing else is emitted.
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}
