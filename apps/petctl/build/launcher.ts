interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/**
 * The file that is run. Before anything of petctl is there it says, in words that every Node understands, which Node it
 * needs, and answers `--version`, which is asked for most often by machines. Node keeps the program compiled in the
 * user's own cache folder, where it has a compile cache.
 */
export function launcher({ version, engines }: Manifest): string {
  const oldest = engines.node.replace(/\D/g, '');
  return `#!/usr/bin/env node
'use strict';
if (parseInt(process.versions.node, 10) < ${oldest}) {
  process.stderr.write('petctl needs Node ${oldest} or newer; this is ' + process.versions.node + '.\\n');
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
