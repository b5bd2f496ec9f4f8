import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { list, node, readSpec } from './future/spec.ts';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The spec with its references followed. */
export const spec = readSpec(textOf('spec/openapi.yaml'));

/** The addresses of the deployments by their names, with the variables of the spec filled in. */
export const addresses = new Map(
  list(spec.servers)
    .map(node)
    .map((server) => {
      const variable = (key: string) => String(node(node(server.variables)[key]).default);
      return [
        String(server['x-deployment']),
        String(server.url).replace(/\{(\w+)\}/g, (_, key: string) => variable(key)),
      ];
    }),
);

/** The version segment that every address ends with. */
export const basePath = new URL([...addresses.values()][0] ?? '').pathname;
