// Builds `dist`: the program as one file, and the file that starts it.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { petctlBundle } from './bundle.ts';
import { bundledPackages, licences } from './licenses.ts';

const root = join(import.meta.dirname, '..');
const dist = process.argv[2] ?? join(root, 'dist');

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const { code, sources } = await petctlBundle();
await writeFile(join(dist, 'program.js'), code);
await writeFile(join(dist, 'petctl.js'), launcher(), { mode: 0o755 });
await writeFile(join(dist, 'THIRD-PARTY-LICENSES.txt'), licences(bundledPackages(sources)));
await writeFile(join(dist, 'package.json'), '{"type":"commonjs"}\n');

/**
 * The file that starts petctl. In syntax for every Node, it checks Node's version, and prints `--version`, the most frequent
 * request, without loading petctl. Node caches the compiled program in the user's cache folder.
 */
function launcher(): string {
  const { version, engines } = manifest;
  const [, major] = /^>=(\d+)$/.exec(engines.node) ?? [];
  if (!major) throw new Error(`package.json: write engines.node as >=22, not ${engines.node}.`);
  return `#!/usr/bin/env node
'use strict';
if (parseInt(process.versions.node, 10) < ${major}) {
  process.stderr.write('petctl needs Node ${major} or newer; this is ' + process.versions.node + '.\\n');
  process.exitCode = 2;
} else if (!hasWrittenVersion()) {
  var isAbsolute = require('node:path').isAbsolute;
  var xdgCache = process.env.XDG_CACHE_HOME || '';
  var home = process.env.HOME || '';
  // The XDG specification requires ignoring a relative folder.
  var cache = isAbsolute(xdgCache) ? xdgCache : isAbsolute(home) && home + '/.cache';
  var enable = cache && require('node:module').enableCompileCache;
  if (enable) enable(cache + '/petctl');
  require('./program.js');
}

function hasWrittenVersion() {
  if (process.argv.length !== 3 || process.argv[2] !== '--version') return false;
  try {
    require('node:fs').writeSync(1, '${version}\\n');
    return true;
  } catch (_error) {
    // The program reports the error.
    return false;
  }
}
`;
}
