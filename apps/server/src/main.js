#!/usr/bin/env node
// Plain JavaScript: if the first file were TypeScript, Node would load its compiler at each start. Later files are in the compile cache.
// This file imports only modules that every Node has, so that an old Node can report the required version.
import module from 'node:module';
import { join } from 'node:path';

const version = process.versions.node;
const [major, minor] = version.split('.').map(Number);
// The sources are TypeScript, which an older Node does not run.
const isCheckout = import.meta.url.endsWith('/src/main.js');
if (isCheckout ? !process.features.typescript : major < 22 || (major === 22 && minor < 16)) {
  const required = isCheckout ? 'the Node of the checkout, node_modules/.bin/node' : 'Node 22.16 or newer';
  process.stderr.write(`petstore-server needs ${required}; this is Node ${version}.\n`);
  process.exit(1);
}

module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
const { main } = await import('./cli/program.ts');
// Only the command that runs the server loads it, so the other commands start faster.
await main(async (config) => (await import('./cli/start.ts')).start(config));
