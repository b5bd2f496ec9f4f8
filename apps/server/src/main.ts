#!/usr/bin/env node
import { CommanderError } from 'commander';
import { sentence } from './cli/errors.ts';
import { program } from './cli/program.ts';
import { databaseVariable, keysVariable } from './config/environment.ts';

const env = { ...process.env };
// Node writes the environment into the reports it makes of its own crashes.
delete process.env[keysVariable];
delete process.env[databaseVariable];

try {
  // The server itself is loaded only to be run: the other commands answer at once.
  await program(env, async (config) => (await import('./cli/start.ts')).start(config)).parseAsync();
} catch (error) {
  const line = sentence(error);
  if (line !== undefined) console.error(`petstore-server: ${line}`);
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}
