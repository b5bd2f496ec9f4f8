import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');

/** petctl as one file, and the files that its code is from. What it loads lazily is in it too, and evaluated when it is needed. */
export async function petctlBundle(): Promise<{ code: string; sources: Set<string> }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, 'src/main.ts')],
    // What stays outside is installed beside it. `.pnpmfile.mjs` takes everything else out of the published manifest.
    external: ['jq-wasm', '@napi-rs/keyring'],
    plugins: [onlyVersion, lazyChildProcess],
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    // Node starts CommonJS faster than modules, as long as nothing in it loads the loader of modules.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    absWorkingDir: '/',
    outfile: '/out/program.js',
    write: false,
    metafile: true,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const sources = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => `/${file}`);
  return { code: outputFiles[0]?.text ?? '', sources: new Set(sources) };
}

/** Of the manifest, the program knows the version only. */
const onlyVersion: Plugin = {
  name: 'only-version',
  setup({ onLoad }) {
    const contents = JSON.stringify({ version: manifest.version });
    onLoad({ filter: /[\\/]petctl[\\/]package\.json$/ }, () => ({ contents, loader: 'json' }));
  },
};

/** commander starts programs, and loads what that takes at once: a tenth of a start for nothing. */
const lazyChildProcess: Plugin = {
  name: 'lazy-child-process',
  setup({ onResolve, onLoad }) {
    const namespace = 'lazy';
    onResolve({ filter: /^node:child_process$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = { spawn: (...args) => require('${path}').spawn(...args) }`,
    }));
  },
};
