#!/usr/bin/env node
// The only file that names `process`.
import { run } from './run.ts';

// A promise that never settles ends Node, and must not look like a success.
process.exitCode = 1;

run({
  args: process.argv.slice(2),
  env: process.env,
  signals: process,
  // Node makes each of these when it is first read.
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
