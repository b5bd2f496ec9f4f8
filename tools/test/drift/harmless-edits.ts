import { edits, type PlantedDrift, put, specFile } from './planting.ts';

const handlers = 'apps/server/src/handlers.ts';

/** Edits that nobody could notice. */
export const harmlessEdits: PlantedDrift[] = [
  ...edits('none', specFile, {
    'a comment': (text) => `# Nothing new.\n${text}`,
    'another quoting': (text) =>
      text.replace('"2030-12-05"', "'2030-12-05'").replace(/version: ([\d.]+)$/m, 'version: "$1"'),
    'another order of keys': put(
      '    PetStatus:',
      '      type: string\n      description: Availability of the animal.\n',
      '      description: Availability of the animal.\n      type: string\n',
    ),
    'another style': put(
      '    PetStatus:',
      'enum: [available, pending, sold]',
      'enum:\n        - available\n        - pending\n        - sold',
    ),
  }),
  ...edits('none', handlers, {
    'a comment in a handler': (text) => text.replace('return {', '// As promised.\n  return {'),
  }),
];
