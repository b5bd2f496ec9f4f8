// The generated files, for the generator and for `npm start`. It is plain JavaScript, because
// `npm start` runs on the machine's own Node.
import { createHash } from 'node:crypto';

/** The files that hey-api writes. */
export const heyApiFiles = [
  'packages/types/src/gen/types.gen.ts',
  'packages/types/src/gen/operations.gen.ts',
  'packages/client/src/gen/calls.gen.ts',
];

/** The file that exports the types of schemas from the client. */
export const clientTypesFile = 'packages/client/src/gen/types.gen.ts';

/**
 * The hash of the spec, which the first line of each generated file has. `npm start` compares it,
 * so that it generates after a change of the spec. `npm run drift` finds a change of the generator.
 *
 * @param {string} spec
 */
export function hashOf(spec) {
  return createHash('sha256').update(spec).digest('hex').slice(0, 16);
}
