import { CommanderError } from 'commander';
import { databaseVariable, keysVariable } from '../config/environment.ts';
import type { Config } from '../config.ts';
import { errorLine } from './errors.ts';
import { program } from './program.ts';

/** Runs the command line of this process, and sets its exit code. */
export async function main(start: (config: Config) => Promise<void>): Promise<void> {
  const env = { ...process.env };
  // Node's crash reports contain the environment.
  delete process.env[keysVariable];
  delete process.env[databaseVariable];

  try {
    await program(env, start).parseAsync();
  } catch (error) {
    const line = errorLine(error);
    if (line !== undefined) console.error(`petstore-server: ${line}`);
    process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  }
}
