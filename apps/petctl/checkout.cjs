#!/usr/bin/env node
// petctl in a checkout: built when a source file is newer than the last build, so that it starts as fast as an installed one.
'use strict';
const { readdirSync, statSync } = require('node:fs');
const { join } = require('node:path');

const petctl = join(__dirname, 'dist/petctl.js');
const sources = [
  'package.json',
  'build.ts',
  'src',
  '../../packages/client/src',
  '../../packages/types/src',
];

/** When a file, or anything in a folder, was changed; 0 if it does not exist. */
function changed(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats?.mtimeMs ?? 0;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => changed(join(path, name))));
}

const built = changed(petctl);
if (sources.some((path) => changed(join(__dirname, path)) >= built)) {
  const { spawnSync } = require('node:child_process');
  const { status } = spawnSync(process.execPath, [join(__dirname, 'build.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}
require(petctl);
