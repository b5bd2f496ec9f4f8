#!/usr/bin/env node
import { InterruptedError } from './io/errors.ts';
import { type Io, processIo, untilInterrupted } from './io/process-io.ts';
import { reportError, run } from './run.ts';

async function main(): Promise<void> {
  const io = processIo();
  const argv = process.argv.slice(2);
  let code = 0;
  try {
    await untilInterrupted(
      run(argv, io).then(() => io.stdout.end()),
      io,
    );
  } catch (error) {
    code = await reportError(error, argv, io);
  }
  // Waits for output, but not for open connections.
  await untilInterrupted(Promise.allSettled([io.stdout.end(), io.stderr.end()]), io).catch(() => {});
  await endRun(code, io);
}

/** Ends the process. Node's exit would wait for a read of a pipe without writers, so such an interrupted run ends by its signal. */
async function endRun(code: number, { interrupted }: Io): Promise<void> {
  const { reason } = interrupted;
  if (reason instanceof InterruptedError && (await isReadBlocked())) {
    process.removeAllListeners(reason.signal);
    process.kill(process.pid, reason.signal);
  } else process.exit(code);
}

/** Whether a file operation does not end in half a second. Those of ordinary files do. */
async function isReadBlocked(): Promise<boolean> {
  const isReading = () => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
  const end = performance.now() + 500;
  while (isReading() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  return isReading();
}

void main();
