// A worker of `petstore-server --workers`, which starts it with its own command line. Plain JavaScript, as main.js is.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
const { main } = await import('./cli/program.ts');
await main(async (config) => (await import('./cli/start.ts')).startWorker(config));
