import { generatedFolders, generateEverything } from '../../generate/everything.ts';
import { cached } from '../cached.ts';
import type { Check } from '../check.ts';
import type { Spec } from '../openapi.ts';
import type { Project } from '../project.ts';

export interface Difference {
  file: string;
  actual: 'is missing' | 'does not belong here' | 'differs from what the spec says';
}

export const generated: Check = {
  name: 'generated',
  guarantee:
    "The generated files are, byte for byte, what the generator produces, with the spec's version and servers, and there are no others.",
  run: async (project) => {
    const expected = await generateOnce(project.spec);
    return differences(expected, generatedFiles(project)).map(({ file, actual }) => ({
      where: file,
      actual: `it ${actual}`,
      expected: 'it follows from the spec alone',
      fix: 'npm run generate',
    }));
  },
};

const generateOnce = cached(({ model }: Spec) => generateEverything(model));

/** The files of the folders for generated code. */
export function generatedFiles(project: Project): Map<string, string> {
  return new Map(generatedFolders.flatMap(project.list).map((file) => [file, project.read(file)]));
}

/** The files that are missing, that differ, and that should not exist. */
export function differences(expected: Map<string, string>, actual: Map<string, string>): Difference[] {
  const found: Difference[] = [];
  for (const [file, text] of expected) {
    if (!actual.has(file)) found.push({ file, actual: 'is missing' });
    else if (actual.get(file) !== text) found.push({ file, actual: 'differs from what the spec says' });
  }
  for (const file of actual.keys()) if (!expected.has(file)) found.push({ file, actual: 'does not belong here' });
  return found;
}
