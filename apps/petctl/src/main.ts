#!/usr/bin/env node
import { run } from './run.ts';
import { surroundings } from './surroundings.ts';

async function main(): Promise<void> {
  const around = surroundings();
  const argv = process.argv.slice(2);
  let code = 0;
  try {
    await run(argv, around);
    await around.stdout.end();
  } catch (error) {
    const { tellError } = await import('./errors/tell-error.ts');
    code = await tellError(error, argv, around);
  }
  // What is on its way out is let out; what else is open, a connection that is kept say, is not waited for.
  await Promise.allSettled([around.stdout.end(), around.stderr.end()]);
  process.exit(code);
}

void main();
