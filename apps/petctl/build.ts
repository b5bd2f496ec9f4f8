// Builds `dist`, or another folder: petctl as one file, a small file that starts it, and the
// licences of what it contains.
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import manifest from './package.json' with { type: 'json' };

const dist = process.argv[2] ?? join(import.meta.dirname, 'dist');

const { outputFiles, metafile } = await build({
  entryPoints: [join(import.meta.dirname, 'src/main.ts')],
  // The dependencies of the published package. All that is bundled is a devDependency.
  external: ['jq-wasm', '@napi-rs/keyring'],
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node22',
  // Node loads CommonJS faster than ES modules.
  format: 'cjs',
  supported: { 'dynamic-import': false },
  absWorkingDir: '/',
  outfile: '/out/program.js',
  write: false,
  metafile: true,
});
mkdirSync(dist, { recursive: true });
put('package.json', '{"type":"commonjs"}\n');
put('THIRD-PARTY-LICENSES.txt', licences(Object.keys(metafile.inputs)));
put('program.js', outputFiles[0]?.text ?? '');
put('petctl.js', launcher(), 0o755);

/** Replaces a file at once, because another process may start petctl at any time. */
function put(name: string, text: string, mode = 0o644): void {
  const temporary = join(dist, `.${name}.${process.pid}`);
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, join(dist, name));
}

/** The licences of the packages that these files are from. */
function licences(files: readonly string[]): string {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== undefined));
  const texts = [...folders].sort().map(licenceOf);
  return `${['petctl contains code of these packages.', ...texts].join('\n\n')}\n`;
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  if (!file) throw new Error(`${folder} is bundled, but has no licence.`);
  const text = readFileSync(join(folder, file), 'utf8').trim();
  return `${'-'.repeat(80)}\n\n${name} ${version} (${license})\n\n${text}`;
}

/**
 * The folder of the package that a file is from: `/x/node_modules/@a/b` of
 * `x/node_modules/@a/b/c.js`.
 */
function packageFolder(file: string): string | undefined {
  const parts = `/${file}`.split('/');
  const parent = parts.lastIndexOf('node_modules');
  if (parent < 0) return undefined;
  const isScoped = parts[parent + 1]?.startsWith('@');
  return parts.slice(0, parent + (isScoped ? 3 : 2)).join('/');
}

/**
 * The file that starts petctl. In syntax for every Node, it checks Node's version, and prints
 * `--version` without loading petctl. Node caches the compiled program in the user's cache folder.
 */
function launcher(): string {
  const oldest = Number.parseInt(manifest.engines.node.replace('>=', ''), 10);
  return `#!/usr/bin/env node
'use strict';
var isDone = false;
if (parseInt(process.versions.node, 10) < ${oldest}) {
  process.stderr.write('petctl needs Node ${oldest} or newer; this is ' + process.versions.node + '.\\n');
  process.exitCode = 2;
  isDone = true;
} else if (process.argv.length === 3 && process.argv[2] === '--version') {
  // If this fails, the program reports the error.
  try { require('node:fs').writeSync(1, '${manifest.version}\\n'); isDone = true; } catch (_error) {}
}
if (!isDone) {
  var cache = process.env.XDG_CACHE_HOME || (process.env.HOME || '') + '/.cache';
  // A relative folder is ignored, because the current folder must not change how petctl runs.
  var enable = require('node:path').isAbsolute(cache) && require('node:module').enableCompileCache;
  if (enable) enable(cache + '/petctl');
  require('./program.js');
}
`;
}
