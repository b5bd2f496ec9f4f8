#!/usr/bin/env node
// Plain JavaScript, because Node would load its compiler for a first file in TypeScript: everything after it is compiled once.
// It imports only what every Node has, so that an old one reports the version that it needs.
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const found = process.versions.node;
const [major, minor] = found.split('.').map(Number);
// The sources are TypeScript, which an older Node does not run.
const isCheckout = import.meta.url.endsWith('/src/main.js');
if (isCheckout ? !process.features.typescript : major < 22 || (major === 22 && minor < 16)) {
  const needed = isCheckout ? 'the Node of the checkout, node_modules/.bin/node' : 'Node 22.16 or newer';
  process.stderr.write(`petstore-server needs ${needed}; this is Node ${found}.\n`);
  process.exit(1);
}

// Under its first load, one process in eight learned to allocate each request in V8's old generation: garbage collections of 10 ms
// instead of 0.3 ms, until the process ended.
setFlagsFromString('--no-allocation-site-pretenuring');
module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
const { main } = await import('./cli/program.ts');
// The server itself is loaded only to be run: the other commands answer at once.
await main(async (config) => (await import('./cli/start.ts')).start(config));
