#!/usr/bin/env node
// The only file that names `process`.
import { run } from './run.ts';

// If a promise never settles, Node ends without an error. This must not look like a success.
process.exitCode = 1;

run({
  args: process.argv.slice(2),
  env: process.env,
  signals: process,
  // Node creates a stream when it is first read, so these are read only when they are needed.
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  get knowsProxies() {
    return process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
  },
}).then((code) => process.exit(code));
