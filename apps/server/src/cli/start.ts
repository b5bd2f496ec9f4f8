import { flushCompileCache } from 'node:module';
import type { Config } from '../config.ts';
import { type Running, serve } from '../serve.ts';
import { sentence } from './errors.ts';
import { greeting } from './greeting.ts';

/** Runs the server until it is told to stop, and says where it can be found. */
export async function start(config: Config): Promise<void> {
  const running = await serve(config);
  // Before the greeting: whoever reads it may send a signal at once.
  stopOnSignals(running);
  // Not on stdout: that is the log's, a JSON line for each thing that happens.
  console.error(greeting(running, config));
  flushCompileCache();
}

const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/** The first signal stops the server in order, a second one ends it at once. */
function stopOnSignals({ stop }: Running): void {
  let since: number | undefined;
  const end = (signal: keyof typeof codes) => {
    if (since === undefined) {
      since = performance.now();
      stop().then(() => process.exit(0), fail);
    } else if (!isEcho(since)) {
      process.exit(codes[signal]);
    }
  };
  process.on('SIGINT', end).on('SIGTERM', end);
}

/** On Ctrl-C a terminal tells npm and the server, and npm tells the server once more, within a few milliseconds. */
function isEcho(since: number): boolean {
  return process.env.npm_lifecycle_event === 'start' && performance.now() - since < 200;
}

function fail(error: unknown): void {
  console.error(`petstore-server: ${sentence(error)}`);
  process.exit(1);
}
