import { join } from 'node:path';
import { generated, withGenerated } from '../../generate/generate.ts';
import { type Difference, differences } from '../differences.ts';
import type { Finding } from '../finding.ts';
import { root } from '../root.ts';

/** Where the generated code of the repository differs from a fresh generation in `scratch`. */
export async function outdated(scratch: string): Promise<Difference[]> {
  const folders = generated.map(async (folder) => {
    const found = await differences(join(scratch, folder), join(root, folder));
    return found.map(({ file, what }) => ({ file: `${folder}/${file}`, what }));
  });
  return (await Promise.all(folders)).flat();
}

/** Generated code is, byte for byte, what the spec gives now, and nothing else lies beside it. */
export async function generatedCode(): Promise<Finding[]> {
  const found = await withGenerated(outdated);
  return found.map(({ file, what }) => ({
    surface: 'generated',
    where: file,
    what: `it ${what}`,
    spec: 'it follows from the spec alone',
    mend: 'npm run generate',
  }));
}
