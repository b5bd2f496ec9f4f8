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

export const hooks = { readPackage };
