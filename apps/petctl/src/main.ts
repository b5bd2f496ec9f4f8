#!/usr/bin/env node
import { processIo, untilInterrupted } from './io/io.ts';
import { run, tellError } from './run.ts';

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
    code = await tellError(error, argv, io);
  }
  // What is on its way out is let out; what else is open, a connection that is kept say, is not waited for.
  await untilInterrupted(Promise.allSettled([io.stdout.end(), io.stderr.end()]), io).catch(() => {});
  process.exit(code);
}

void main();
