#!/usr/bin/env node
// petctl in a checkout: bundled anew when its sources have changed, so that it starts as fast as an installed one.
'use strict';
const { existsSync, readdirSync, statSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const program = join(__dirname, 'node_modules/.cache/program.cjs');
const sources = ['package.json', 'build', 'src', '../../packages/client/src', '../../packages/types/src'];

/** When a file, or anything in a folder, was changed. */
function changed(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => changed(join(path, name))));
}

function isBuilt() {
  return existsSync(program) && sources.every((path) => changed(join(__dirname, path)) < changed(program));
}

if (!isBuilt()) {
  const { spawnSync } = require('node:child_process');
  spawnSync(process.execPath, [join(__dirname, 'build/checkout.ts')], { stdio: ['ignore', 'ignore', 'inherit'] });
}
enableCompileCache?.(join(__dirname, 'node_modules/.cache/compiled'));
require(program);
