// The main file of a worker. The primary starts it with the arguments that it got itself. Plain JavaScript, like main.js.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
const { main } = await import('./cli/program.ts');
await main(async (config) => (await import('./cli/start.ts')).startWorker(config));
