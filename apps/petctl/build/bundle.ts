import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';
import { namesTaken } from './names-taken.ts';
import { stubCommander } from './stub-commander.ts';

const core = './petctl.js';

/** What is loaded at once, and the files that are loaded when they are needed. */
export interface Bundle {
  readonly core: string;
  readonly lazy: ReadonlyMap<string, string>;
  /** Where the code in them is from. */
  readonly sources: ReadonlySet<string>;
}

/** petctl, but for the packages that it depends on. */
export const petctlBundle = (): Promise<Bundle> =>
  // What stays outside is installed beside it. `.pnpmfile.mjs` takes everything else out of the published manifest.
  bundle(join(import.meta.dirname, '../src/main.ts'), ['jq-wasm', '@napi-rs/keyring']);

/**
 * Bundles a program as CommonJS, which Node starts faster than modules. esbuild splits modules only, and into many small
 * files, so it is told what belongs together: all that the entry imports is one file, and what is imported when it is
 * needed takes from that file what both use.
 */
async function bundle(entry: string, external: readonly string[]): Promise<Bundle> {
  const common = {
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    write: false,
    metafile: true,
    absWorkingDir: '/',
    external: [...external],
  } satisfies BuildOptions;

  const { metafile } = await build({
    ...common,
    entryPoints: [entry],
    plugins: [stubCommander],
    outdir: '/out',
    format: 'esm',
    splitting: true,
  });
  const atOnce = reached(metafile, entry.slice(1));
  // What stands for something that was left out is no file.
  const later = Object.keys(metafile.inputs).filter((file) => !atOnce.has(file) && !file.includes(':'));
  const taken = await namesTaken(later, atOnce, metafile);
  const shared = [...taken.keys()];
  const lazyEntries = new Set([...atOnce, ...later].flatMap((file) => dynamicImports(metafile, file)));

  const cores = await build({
    ...common,
    stdin: {
      contents: [
        `import '/${entry.slice(1)}';`,
        ...shared.map((file, i) => given(file, i, taken.get(file) ?? [])),
      ].join('\n'),
      resolveDir: '/',
    },
    plugins: [stubCommander, leaveOut(lazyEntries)],
    format: 'cjs',
    supported: { 'dynamic-import': false },
  });
  const parts = await build({
    ...common,
    entryPoints: [...lazyEntries].map((file) => ({ in: `/${file}`, out: nameOf(file).replace(/\.js$/, '') })),
    outdir: '/out',
    plugins: [takeFromCore(shared), stubCommander],
    format: 'esm',
    splitting: true,
  });
  const lazy = new Map<string, string>();
  for (const { path, text } of parts.outputFiles ?? []) lazy.set(basename(path), await commonJs(text));
  return { core: cores.outputFiles?.[0]?.text ?? '', lazy, sources: sourcesOf(cores.metafile, parts.metafile) };
}

function sourcesOf(...metafiles: Metafile[]): Set<string> {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs));
  return new Set(inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => `/${file}`));
}

/** What the core gives of one of its files. */
function given(file: string, i: number, names: Iterable<string>): string {
  const list = [...names];
  const own = list.map((name) => `${name} as s${i}${name}`).join();
  return `import { ${own} } from '/${file}'; export const s${i} = { ${list.map((name) => `${name}: s${i}${name}`).join()} };`;
}

/** What a file needs before it can run, itself included. */
function reached(metafile: Metafile, entry: string): Set<string> {
  const found = new Set([entry]);
  for (const file of found) for (const next of staticImports(metafile, file)) found.add(next);
  return found;
}

const importsOf = ({ inputs }: Metafile, file: string, kind: string): string[] =>
  (inputs[file]?.imports ?? []).filter((one) => one.kind === kind && !one.external).map(({ path }) => path);
const staticImports = (metafile: Metafile, file: string) => importsOf(metafile, file, 'import-statement');
const dynamicImports = (metafile: Metafile, file: string) => importsOf(metafile, file, 'dynamic-import');

/** `src/out/csv.ts` becomes `out-csv.js`. */
function nameOf(file: string): string {
  const [, path = file] = /\/src\/(.*)\.ts$/.exec(file) ?? [];
  return `${path.replaceAll('/', '-')}.js`;
}

/** Imports of what is loaded later stay imports, of its file. */
function leaveOut(files: ReadonlySet<string>): Plugin {
  return {
    name: 'leave-out',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        const file = join(resolveDir, path).slice(1);
        return kind === 'dynamic-import' && files.has(file) ? { path: `./${nameOf(file)}`, external: true } : undefined;
      });
    },
  };
}

/** Imports of what the core holds are taken from there, so that nothing is there twice. */
function takeFromCore(shared: readonly string[]): Plugin {
  return {
    name: 'take-from-core',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (pluginData === 'asked' || kind === 'entry-point') return undefined;
        const found = await resolve(path, { kind, resolveDir, pluginData: 'asked' });
        const place = shared.indexOf(found.path.slice(1));
        return place < 0 ? undefined : { path: `${core}#s${place}`, external: true };
      });
    },
  };
}

/** A module as CommonJS; what it takes from the core, from where that has it. */
async function commonJs(text: string): Promise<string> {
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    supported: { 'dynamic-import': false },
  });
  return code.replaceAll(/require\("(\.\/petctl\.js)#(s\d+)"\)/g, 'require("$1").$2');
}
