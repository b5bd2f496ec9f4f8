import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import type { Config } from '../config/config.ts';
import { createLog, type Log } from '../log.ts';
import { type Running, serve } from '../serve.ts';
import { errorLine, listenError } from './errors.ts';
import { greeting } from './greeting.ts';

// With this heuristic of V8, one server process in ten allocated its requests in the old generation for the rest of its life, so each
// garbage collection took 10 ms instead of 0.3 ms.
setFlagsFromString('--no-allocation-site-pretenuring');

/** Runs the server until a signal stops it, and prints its URLs. */
export async function start(config: Config): Promise<void> {
  const logging = openLog(config);
  const removeHandlers = endOnSignals();
  // By default, SIGUSR1 opens Node's debugger on a port.
  process.on('SIGUSR1', () => {});
  const running = await serve(config, logging).catch((error) => Promise.reject(listenError(error, config)));
  // The handlers come before the greeting, because its reader may send a signal at once.
  removeHandlers();
  stopOnSignals(running, logging);
  // Stdout is for the log only.
  console.error(greeting(running, config));
  flushCompileCache();
}

function openLog({ logLevel }: Config): Log {
  // A lost terminal or a full disk must not end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  return createLog(logLevel);
}

const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type Signal = keyof typeof EXIT_CODES;
const signals = Object.keys(EXIT_CODES) as Signal[];

/**
 * Makes signals end a server during its start as process 1 of a container, where signals have no default effect. Returns a function that
 * removes the handlers.
 */
function endOnSignals(): () => void {
  if (process.pid !== 1) return () => {};
  const end = (signal: Signal) => process.exit(EXIT_CODES[signal]);
  for (const signal of signals) process.on(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/** The first signal stops the server gracefully, the second signal ends it at once. */
function stopOnSignals(running: Running, logging: Log): void {
  let stoppingSince: number | undefined;
  const onSignal = (signal: Signal) => {
    if (stoppingSince === undefined) {
      stoppingSince = performance.now();
      void stop(running, logging, signal);
    } else if (!isEcho(stoppingSince)) {
      endBy(signal);
    }
  };
  for (const signal of signals) process.on(signal, onSignal);
}

/** Exits with 0 only if every request got a response and everything closed. */
async function stop(running: Running, logging: Log, signal: Signal): Promise<void> {
  try {
    const { aborted, isClosed } = await running.stop();
    const isLogClosed = await logging.close();
    // If the log could not be closed, the terminal may be stopped (Ctrl-S), and writing to it would block this process.
    if (aborted > 0 && isLogClosed)
      console.error(`petstore-server: ${aborted} requests were aborted; use a longer --shutdown-timeout.`);
    if (isClosed && isLogClosed) process.exit(aborted > 0 ? 1 : 0);
    endBy(signal);
  } catch (error) {
    console.error(`petstore-server: ${errorLine(error)}`);
    process.exit(1);
  }
}

/** Ends the process by the signal. Node's exit waits for its threads, which a dead disk may block for ever. */
function endBy(signal: Signal): void {
  process.removeAllListeners(signal);
  // Signals have no default effect on process 1.
  if (process.pid !== 1) process.kill(process.pid, signal);
  process.exit(EXIT_CODES[signal]);
}

/** On Ctrl-C a terminal signals npm and the server, and npm signals the server once more, within a few milliseconds. */
function isEcho(stoppingSince: number): boolean {
  return process.env.npm_lifecycle_event === 'start' && performance.now() - stoppingSince < 200;
}
