// Node's platform packages name their platform as a string, which pnpm ignores: the Windows Node would be installed on
// Linux. A list is what it reads.
const platforms = /^node-(bin-)?(linux|darwin|win)-/;

function readPackage(pkg) {
  if (!platforms.test(pkg.name)) return pkg;
  pkg.os = [pkg.os].flat();
  pkg.cpu = [pkg.cpu].flat();
  if (pkg.os.includes('linux')) pkg.libc = ['glibc'];
  return pkg;
}

// petctl is published as one file that esbuild makes of these. A checkout makes it by itself, and needs them installed. The
// server is published with the files of its docs page, because their package brings one that reports each installation.
const bundled = {
  petctl: [
    '@petstore/client',
    '@petstore/types',
    'commander',
    'csv-parse',
    'esbuild',
    'string-width',
  ],
  '@petstore/server': ['swagger-ui-dist'],
};

function beforePacking(pkg) {
  for (const name of bundled[pkg.name] ?? []) delete pkg.dependencies[name];
  return pkg;
}

export const hooks = { readPackage, beforePacking };
