// Builds `dist` of the package that it is called in: ES modules, and the same modules as CommonJS
// in `dist/cjs`. With `--esm`, it builds only the ES modules.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

// tsc does not remove the files of an earlier build.
rmSync('dist', { recursive: true, force: true });
// The compiler of the package may have another version than that of the tools.
const compiler = createRequire(join(process.cwd(), 'package.json')).resolve(
  'typescript/package.json',
);
const tsc = join(dirname(compiler), 'bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

if (status === 0 && !process.argv.includes('--esm')) {
  const files = readdirSync('dist', { recursive: true, encoding: 'utf8' });
  await build({
    entryPoints: files.filter((file) => file.endsWith('.js')).map((file) => `dist/${file}`),
    outdir: 'dist/cjs',
    outbase: 'dist',
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
  });
  for (const file of files.filter((name) => name.endsWith('.d.ts')))
    cpSync(`dist/${file}`, `dist/cjs/${file}`);
  writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
}
