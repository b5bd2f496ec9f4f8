#!/usr/bin/env node
import { processIo } from './io.ts';
import { run } from './run.ts';

async function main(): Promise<void> {
  const io = processIo();
  const argv = process.argv.slice(2);
  let code = 0;
  try {
    await run(argv, io);
    await io.stdout.end();
  } catch (error) {
    const { tellError } = await import('./errors/tell-error.ts');
    code = await tellError(error, argv, io);
  }
  // What is on its way out is let out; what else is open, a connection that is kept say, is not waited for.
  await Promise.allSettled([io.stdout.end(), io.stderr.end()]);
  process.exit(code);
}

void main();
