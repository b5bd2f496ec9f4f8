import { flushCompileCache } from 'node:module';
import type { Config } from '../config/config.ts';
import { createLog, type Log } from '../log.ts';
import { type RunningWorker, send, serveAsWorker } from '../workers/worker.ts';
import { errorLine, UsageError } from './errors.ts';

/** Runs a worker until the primary stops it or exits. */
export async function startWorker(config: Config): Promise<void> {
  if (!process.connected) throw new UsageError('workers are started by petstore-server --workers.');
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Terminals and process managers signal the whole process group, but only the primary acts on signals.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {});
  const logging = createLog(config.logLevel);
  let running: RunningWorker | undefined;
  let isStopping = false;
  const onStop = (idleMs?: number) => {
    if (isStopping) return;
    isStopping = true;
    // A worker that does not serve yet has no requests to finish.
    if (running) void stop(running, logging, idleMs);
    else process.exit(1);
  };
  process.on('disconnect', () => onStop());
  try {
    running = await serveAsWorker(config, logging, onStop);
    flushCompileCache();
  } catch (error) {
    send({ type: 'failed', reason: errorLine(error) ?? '' });
    process.exitCode = 1;
    process.disconnect?.();
  }
}

async function stop(running: RunningWorker, logging: Log, idleMs?: number): Promise<void> {
  const isClosed = await running.stop(idleMs);
  const isLogClosed = await logging.close();
  // A normal exit would wait for a thread that is stuck in a system call.
  if (!isClosed || !isLogClosed) process.kill(process.pid, 'SIGKILL');
  process.exit(0);
}
