import { readFile } from 'node:fs/promises';
import type { Metafile } from 'esbuild';

/** Which names of which files at once are imported later. All imports here are by name, which makes them easy to read. */
export async function namesTaken(later: readonly string[], atOnce: ReadonlySet<string>, metafile: Metafile) {
  const taken = new Map<string, Set<string>>();
  for (const file of later) {
    const text = await readFile(`/${file}`, 'utf8');
    for (const { path, original = '' } of metafile.inputs[file]?.imports ?? []) {
      if (!atOnce.has(path)) continue;
      const names = taken.get(path) ?? new Set();
      taken.set(path, names);
      for (const [, list = '', from] of text.matchAll(/^import \{([^}]*)\} from '([^']*)';$/gm)) {
        const words = list.split(',').map((word) => word.trim());
        if (from === original) for (const word of words) if (word && !word.startsWith('type ')) names.add(word);
      }
    }
  }
  return taken;
}
