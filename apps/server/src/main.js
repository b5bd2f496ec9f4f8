#!/usr/bin/env node
// Plain JavaScript, so that an old Node can report the required version, and later files come from the compile cache.
import module from 'node:module';
import { join } from 'node:path';

const version = process.versions.node;
const [major, minor] = version.split('.').map(Number);
// The sources are TypeScript, which an older Node does not run.
const isCheckout = import.meta.url.endsWith('/src/main.js');
if (isCheckout ? !process.features.typescript : major < 22 || (major === 22 && minor < 16)) {
  const required = isCheckout
    ? 'the Node of the checkout, node_modules/.bin/node'
    : 'Node 22.16 or newer';
  process.stderr.write(`petstore-server needs ${required}; this is Node ${version}.\n`);
  process.exit(1);
}

module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compile'));
const { main } = await import('./program.ts');
await main();
