import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSpec } from './future/spec.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The spec with its references followed. */
export const spec = readSpec(textOf('spec/openapi.yaml'));
