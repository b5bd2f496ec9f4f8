import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ExpectedError } from '../expected-error.ts';
import { reasonOf } from '../files/files.ts';
import { DRAIN_SWEEP_MS, REPLACEMENT_SWEEP_MS, WORKER_RESTART_MS } from '../limits.ts';
import type { StopResult } from '../serve.ts';
import type { ToWorker, WorkerProcess } from './worker-process.ts';

export interface SupervisorOptions {
  size: number;
  log: Logger;
  /** How long a worker may take to stop. */
  stopMs: number;
  start(): WorkerProcess;
  /** Called when a worker begins to serve. */
  onServing(worker: WorkerProcess): void;
  /** Called when a worker has exited. Returns the number of connections that were lost with it. */
  onExit(worker: WorkerProcess): number;
}

/** Supervises the workers of a server: replaces workers that die, and replaces all workers one by one on request. */
export class Supervisor {
  /** The number of workers that exited unexpectedly. */
  deaths = 0;
  readonly #options: SupervisorOptions;
  readonly #workers = new Set<WorkerProcess>();
  /** Whether workers that die are replaced. */
  #isRunning = false;
  /** Whether missing workers wait for the delay before their start. */
  #isRestartDue = false;
  /** The restarts in the current series. A death after a long life starts a new series. */
  #restarts = 0;
  #replacing: Promise<void> | undefined;
  #isReplacementDue = false;
  #isStopAnnounced = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get workers(): WorkerProcess[] {
    return [...this.#workers];
  }

  /** Starts all workers, and resolves when each has begun to serve. Rejects if a worker fails to start; the others then run until `kill`. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.size }, () => this.#startOne()));
    this.#isRunning = true;
    // A worker may have died before the last one was ready.
    this.#startMissing();
  }

  /**
   * Replaces the workers one by one; each serves until its replacement is ready. If a replacement is in progress, all workers
   * are replaced again afterwards.
   */
  replace(): void {
    this.#isReplacementDue = true;
    this.#replacing ??= this.#replaceAll().finally(() => {
      this.#replacing = undefined;
    });
  }

  /** Sends a message to all workers. */
  send(message: ToWorker): void {
    for (const worker of this.#workers) worker.send(message);
  }

  /** Announces the stop to all workers, also to those that start later. */
  announceStop(): void {
    this.#isStopAnnounced = true;
    this.send({ type: 'announceStop' });
  }

  /** Stops all workers. */
  async stop(): Promise<StopResult> {
    this.#isRunning = false;
    const all = await Promise.all(this.workers.map((worker) => this.#stopOne(worker, DRAIN_SWEEP_MS)));
    return {
      aborted: all.reduce((sum, { aborted }) => sum + aborted, 0),
      isClosed: all.every(({ isClosed }) => isClosed),
    };
  }

  /** Kills all workers. */
  kill(): void {
    this.#isRunning = false;
    for (const worker of this.#workers) worker.kill();
  }

  /** Starts a worker, and resolves when it serves. */
  async #startOne(): Promise<void> {
    const worker = this.#options.start();
    this.#workers.add(worker);
    void worker.exited.then((exit) => this.#handleExit(worker, exit));
    const problem = await worker.started;
    if (problem !== undefined) throw new ExpectedError(problem);
    // A worker that was stopped meanwhile is about to exit.
    if (worker.state !== 'starting') return;
    worker.state = 'serving';
    if (this.#isStopAnnounced) worker.send({ type: 'announceStop' });
    this.#options.onServing(worker);
    this.#options.log.info({ worker: worker.pid }, 'worker started');
  }

  #handleExit(worker: WorkerProcess, { code, signal }: { code: number | null; signal: string | null }): void {
    this.#workers.delete(worker);
    const lostConnections = this.#options.onExit(worker);
    if (!this.#isRunning || worker.state === 'stopping') return;
    this.deaths++;
    if (performance.now() - worker.startedAt > WORKER_RESTART_MS.resetAfter) this.#restarts = 0;
    this.#options.log.error({ worker: worker.pid, code, signal, lostConnections }, 'worker died');
    this.#startMissing();
  }

  /** Starts the workers that are missing, after a delay. */
  #startMissing(): void {
    if (!this.#isRunning || this.#isRestartDue || this.#missing <= 0) return;
    this.#isRestartDue = true;
    void this.#restart(Math.min(WORKER_RESTART_MS.first * 2 ** this.#restarts++, WORKER_RESTART_MS.max));
  }

  async #restart(delayMs: number): Promise<void> {
    this.#options.log.info({ delayMs, workers: this.#missing }, 'missing workers will be started');
    await sleep(delayMs, undefined, { ref: false });
    this.#isRestartDue = false;
    if (!this.#isRunning) return;
    // During the delay, more workers may have died, or `#replaceAll` may have filled a place.
    for (let missing = this.#missing; missing > 0; missing--) {
      this.#startOne().catch((error) => {
        this.#logFailedStart(error);
        // `#handleExit` calls this after an exit, but never runs if `#options.start` has thrown.
        this.#startMissing();
      });
    }
  }

  /** The number of workers that are missing. Workers that finish their last requests do not serve any more. */
  get #missing(): number {
    return this.#options.size - this.workers.filter(({ state }) => state !== 'stopping').length;
  }

  #logFailedStart(error: unknown): void {
    if (this.#isRunning) this.#options.log.error({ reason: reasonOf(error) }, 'worker did not start');
  }

  async #replaceAll(): Promise<void> {
    while (this.#isReplacementDue && this.#isRunning) {
      this.#isReplacementDue = false;
      for (const worker of this.workers.filter(({ state }) => state === 'serving')) {
        // If the worker has died meanwhile, `#startMissing` replaces it.
        if (!this.#isRunning || !this.#workers.has(worker)) continue;
        try {
          await this.#startOne();
        } catch (error) {
          this.#logFailedStart(error);
          break;
        }
        // A call of `stop` or `kill` ends the replacement.
        if (!this.#isRunning) return;
        const { aborted } = await this.#stopOne(worker, REPLACEMENT_SWEEP_MS);
        this.#options.log.info({ worker: worker.pid, abortedRequests: aborted }, 'worker replaced');
      }
    }
  }

  /** Lets a worker finish its requests and close its idle connections every `sweepMs`. Kills it if that takes too long. */
  async #stopOne(worker: WorkerProcess, sweepMs: number): Promise<StopResult> {
    const { state } = worker;
    worker.state = 'stopping';
    // If a worker died while this one and its replacement both ran, it counts as missing only from now on.
    this.#startMissing();
    if (state === 'starting') worker.kill();
    if (state === 'serving') worker.send({ type: 'stop', idleMs: sweepMs });
    const timer = setTimeout(() => {
      this.#options.log.error({ worker: worker.pid }, 'worker did not stop in time, and is killed');
      worker.kill();
    }, this.#options.stopMs);
    await worker.exited;
    clearTimeout(timer);
    // A worker that did not serve yet had nothing to close, so it counts as closed.
    return worker.stopped ?? { aborted: 0, isClosed: state === 'starting' };
  }
}
