interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/**
 * The file that starts petctl. In syntax for every Node, it checks Node's version, and prints `--version`, the most frequent
 * request, without loading petctl. Node caches the compiled program in the user's cache folder.
 */
export function launcher({ version, engines }: Manifest): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)\.0$/.exec(engines.node) ?? [];
  if (!minor) throw new Error(`package.json: write engines.node as >=20.9.0, not ${engines.node}.`);
  return `#!/usr/bin/env node
'use strict';
var found = process.versions.node.split('.');
if (found[0] < ${major} || (found[0] == ${major} && found[1] < ${minor})) {
  process.stderr.write('petctl needs Node ${major}.${minor} or newer; this is ' + process.versions.node + '.\\n');
  process.exitCode = 2;
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write('${version}\\n');
} else {
  var env = process.env;
  var cache = env.XDG_CACHE_HOME || (env.HOME && env.HOME + '/.cache');
  var enable = cache && require('node:module').enableCompileCache;
  if (enable) enable(cache + '/petctl');
  require('./program.js');
}
`;
}
