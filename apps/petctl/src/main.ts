#!/usr/bin/env node
import { processIo, untilInterrupted } from './io/process-io.ts';
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
  process.exit(code);
}

void main();
