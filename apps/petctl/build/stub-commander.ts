import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** What commander brings along that petctl does without: programs as subcommands, and arguments, help and suggestions of its own. */
const without: Readonly<Record<string, string>> = {
  'node:child_process': 'export default {}',
  'node:fs': 'export default {}',
  'node:path': 'export default {}',
  // Which is there anyhow, and would be copied member by member.
  'node:process': 'export default globalThis.process',
  './argument.js': 'export class Argument {} export const humanReadableArgName = String',
  './help.js': 'export class Help {} export const stripColor = String',
  './suggestSimilar.js': 'export const suggestSimilar = String',
};

/** Leaves out of a bundle what nothing in it uses, though esbuild cannot know. */
export const stubCommander: Plugin = {
  name: 'stubCommander',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, importer }) =>
      Object.hasOwn(without, path) && /[\\/]commander[\\/]/.test(importer) ? { path, namespace: 'without' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'without' }, ({ path }) => ({ contents: without[path] ?? '' }));
    onLoad({ filter: /[\\/]petctl[\\/]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};
