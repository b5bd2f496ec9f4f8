import { generatedFolders, generateEverything } from '../../generate/everything.ts';
import { cached } from '../cached.ts';
import type { Check } from '../check.ts';
import type { Spec } from '../openapi.ts';
import type { Project } from '../project.ts';

export const generated: Check = {
  name: 'generated',
  guarantee:
    'The generated files are, byte for byte, what the generator produces from the spec, and there are no others.',
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
export function differences(expected: Map<string, string>, actual: Map<string, string>) {
  const files = [...new Set([...expected.keys(), ...actual.keys()])];
  return files.flatMap((file) => {
    if (!actual.has(file)) return { file, actual: 'is missing' };
    if (!expected.has(file)) return { file, actual: 'does not belong here' };
    return actual.get(file) === expected.get(file) ? [] : { file, actual: 'differs from what the spec says' };
  });
}
