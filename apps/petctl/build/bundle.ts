import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');

/** petctl as one file, and its source files. Lazily loaded modules are included, and evaluated on demand. */
export async function petctlBundle(): Promise<{ code: string; sources: Set<string> }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, 'src/main.ts')],
    // These remain dependencies. `.pnpmfile.mjs` removes all others from the published manifest.
    external: ['jq-wasm', '@napi-rs/keyring'],
    plugins: [onlyVersion, lazyChildProcess],
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
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const sources = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => `/${file}`);
  return { code: outputFiles[0]?.text ?? '', sources: new Set(sources) };
}

/** Bundles only the version of the manifest. */
const onlyVersion: Plugin = {
  name: 'only-version',
  setup({ onLoad }) {
    const contents = JSON.stringify({ version: manifest.version });
    onLoad({ filter: /[\\/]petctl[\\/]package\.json$/ }, () => ({ contents, loader: 'json' }));
  },
};

/** Loads child_process on demand. commander loads it at once, which is a tenth of a start. */
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
