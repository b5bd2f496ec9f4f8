import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generated } from '../generate/generate.ts';
import { type Difference, differences } from './differences.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Where the generated code of the repository differs from a fresh generation in `scratch`. */
export async function outdated(scratch: string): Promise<Difference[]> {
  const folders = generated.map(async (folder) => {
    const found = await differences(join(scratch, folder), join(root, folder));
    return found.map(({ file, what }) => ({ file: `${folder}/${file}`, what }));
  });
  return (await Promise.all(folders)).flat();
}
