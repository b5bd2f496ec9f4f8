#!/usr/bin/env node
// Plain JavaScript, because Node would load its compiler for a first file in TypeScript: everything after it is compiled once.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
const { main } = await import('./cli/program.ts');
// The server itself is loaded only to be run: the other commands answer at once.
await main(async (config) => (await import('./cli/start.ts')).start(config));
