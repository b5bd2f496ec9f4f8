import { parse } from 'yaml';
import { cached } from './cached.ts';

/** A part of a spec. Its properties are checked where they are used. */
export type Node = Record<string, unknown>;

export interface Operation extends Node {
  operationId: string;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The spec with its references resolved, so that two specs can be compared whichever way they are written. */
export const readSpec = cached((text): Node => {
  const spec: Node = parse(text);
  const open = new Set<string>();
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (!isNode(value)) return value;
    const { $ref, ...siblings } = value;
    if (typeof $ref !== 'string') return mapValues(value, resolve);
    // A recursive schema is resolved once.
    if (open.has($ref)) return { type: 'object', ...siblings };
    open.add($ref);
    const target = resolve(at(spec, $ref.slice(2).split('/')));
    open.delete($ref);
    return { ...node(target), ...mapValues(siblings, resolve) };
  };
  return node(resolve(spec));
});

/** The operations by their endpoints, as `GET /pets`. */
export function operationsOf(spec: Node): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, item] of Object.entries(node(spec.paths))) {
    const shared = list(node(item).parameters);
    for (const method of methods) {
      const operation = node(item)[method];
      if (!isNode(operation)) continue;
      const parameters = [...shared, ...list(operation.parameters)];
      const security = operation.security ?? spec.security ?? [];
      const operationId = String(operation.operationId);
      found.set(`${method.toUpperCase()} ${path}`, { ...operation, operationId, parameters, security });
    }
  }
  return found;
}

/** The addresses of the deployments by their names, with the variables of the spec filled in. */
export function addressesOf(spec: Node): Map<string, string> {
  return new Map(
    list(spec.servers)
      .map(node)
      .map((server) => {
        const variable = (key: string) => String(node(node(server.variables)[key]).default);
        const address = String(server.url).replace(/\{(\w+)\}/g, (_, key: string) => variable(key));
        return [String(server['x-deployment']), address];
      }),
  );
}

/** The version segment that every address ends with. */
export function basePathOf(spec: Node): string {
  return new URL([...addressesOf(spec).values()][0] ?? '').pathname;
}

/** The parameters of an operation in a location: path, query, header. */
export function parametersIn(operation: Operation, location: string): Node[] {
  return list(operation.parameters)
    .map(node)
    .filter((parameter) => parameter.in === location);
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function node(value: unknown): Node {
  return isNode(value) ? value : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function at(spec: Node, steps: string[]): unknown {
  return steps.reduce<unknown>((here, step) => node(here)[step.replaceAll('~1', '/').replaceAll('~0', '~')], spec);
}

function mapValues(value: Node, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, change(one)]));
}
