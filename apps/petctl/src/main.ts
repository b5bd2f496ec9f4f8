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
      run(argv, io).then(() => io.stdout.flush()),
      io,
    );
  } catch (error) {
    code = await reportError(error, argv, io);
  }
  // Waits for output, but not for open connections.
  await untilInterrupted(Promise.allSettled([io.stdout.flush(), io.stderr.flush()]), io).catch(() => {});
  await endRun(code, io);
}

/** Ends the process. `process.exit` waits for a blocked file read, so a run that is interrupted during one kills itself with the signal. */
async function endRun(code: number, { interrupted }: Io): Promise<void> {
  const { reason } = interrupted;
  if (reason instanceof InterruptedError && (await isReadBlocked())) {
    process.removeAllListeners(reason.signal);
    process.kill(process.pid, reason.signal);
  } else process.exit(code);
}

/** Waits at most half a second for file operations, and returns whether one still runs. Those of ordinary files end in time. */
async function isReadBlocked(): Promise<boolean> {
  const isReading = () => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
  const end = performance.now() + 500;
  while (isReading() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  return isReading();
}

void main();
