import { parse } from 'yaml';

/** A piece of a spec; what is in it is looked at member by member. */
export type Node = Record<string, unknown>;

export interface Operation extends Node {
  operationId: string;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** A spec with its references followed, so that two can be compared whichever way they are written. */
export function readSpec(text: string): Node {
  const spec: Node = parse(text);
  const open = new Set<string>();
  const follow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(follow);
    if (!isNode(value)) return value;
    const { $ref, ...beside } = value;
    if (typeof $ref !== 'string') return mapValues(value, follow);
    // A schema that holds itself is followed once.
    if (open.has($ref)) return { type: 'object', ...beside };
    open.add($ref);
    const target = follow(at(spec, $ref.slice(2).split('/')));
    open.delete($ref);
    return { ...node(target), ...mapValues(beside, follow) };
  };
  return node(follow(spec));
}

/** The operations by method and path, as `GET /pets`. */
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
