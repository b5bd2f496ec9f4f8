// The main file of a worker, which the primary starts with its own command line. Plain JavaScript, like main.js.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
const { main } = await import('./cli/program.ts');
await main(async (config) => (await import('./cli/start.ts')).startWorker(config));
