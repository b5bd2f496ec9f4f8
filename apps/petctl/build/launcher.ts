interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/**
 * The file that is run. Before anything of petctl is there it says, in words that every Node understands, which Node it
 * needs, and answers `--version`, which is asked for most often by machines.
 */
export function launcher(core: string, { version, engines }: Manifest): string {
  const oldest = engines.node.replace(/\D/g, '');
  return `#!/usr/bin/env node
if (parseInt(process.versions.node, 10) < ${oldest}) {
  process.stderr.write('petctl needs Node ${oldest} or newer; this is ' + process.versions.node + '.\\n');
  process.exitCode = 2;
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write('${version}\\n');
} else {
${core}}
`;
}
