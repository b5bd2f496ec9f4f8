import { type Operation, operations } from '@petstore/types';
import { basePath } from '../spec.ts';

/** A path of the interface, with all operations there. */
export interface Route {
  readonly methods: ReadonlyMap<string, Operation>;
  /** The methods that HTTP lets a client use here, for the `Allow` header. */
  readonly allow: string;
}

/** A route, and the path parameters as they stand in the path that led there. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** A node of the tree of all paths, segment by segment: matching takes no longer where there are many routes. */
interface RouteNode {
  readonly literals: Map<string, RouteNode>;
  /** The children behind a segment with parameters. */
  readonly templates: { template: string; read: ReadParams; child: RouteNode }[];
  route?: Route;
}

/** Reads the parameters of a segment into an object; false where the segment does not match. */
type ReadParams = (segment: string, into: Record<string, string>) => boolean;

/** The route of the interface that a request's path leads to, letter by letter. */
export function matchRoute(path: string): RouteMatch | undefined {
  return path.startsWith(prefix) ? matchBelow(root, path, prefix.length) : undefined;
}

/** The path of an operation as Express writes it. */
export function routeOf({ path }: Operation): string {
  return (basePath + path).replace(/\{([^}]*)\}|[{}()[\]+?!:*\\]/g, (special, name?: string) => {
    if (name === undefined) return `\\${special}`;
    return /^\w+$/.test(name) ? `:${name}` : `:${JSON.stringify(name)}`;
  });
}

const prefix = `${basePath}/`;
const root = newNode();
for (const [path, here] of Map.groupBy(Object.values<Operation>(operations), (one) => one.path)) {
  const methods = new Map(here.map((operation) => [operation.method as string, operation]));
  const also = (methods.has('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS']).filter((method) => !methods.has(method));
  const leaf = path.slice(1).split('/').reduce(childOf, root);
  leaf.route = { methods, allow: [...methods.keys(), ...also].join(', ') };
}

/** Goes on from a node, with the segment that begins there. */
function matchBelow(node: RouteNode, path: string, begin: number): RouteMatch | undefined {
  if (begin > path.length) return node.route && { route: node.route, params: {} };
  const slash = path.indexOf('/', begin);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(begin, end);
  const literal = node.literals.size > 0 ? node.literals.get(segment) : undefined;
  const match = literal && matchBelow(literal, path, end + 1);
  if (match) return match;
  for (const { read, child } of node.templates) {
    const rest = matchBelow(child, path, end + 1);
    if (rest && read(segment, rest.params)) return rest;
  }
  return undefined;
}

function childOf({ literals, templates }: RouteNode, segment: string): RouteNode {
  const known = literals.get(encoded(segment)) ?? templates.find(({ template }) => template === segment)?.child;
  if (known) return known;
  const child = newNode();
  if (segment.includes('{')) {
    templates.push({ template: segment, read: segmentReader(segment), child });
    // The one that says most comes first: `list-all{x}` before `list{x}`.
    templates.sort((left, right) => right.template.indexOf('{') - left.template.indexOf('{'));
  } else {
    literals.set(encoded(segment), child);
  }
  return child;
}

/** Reads segments of a template such as `{id}` or `{name}.json`. No regular expression: with several parameters it would backtrack. */
function segmentReader(template: string): ReadParams {
  const [before = '', ...parts] = template.split('{').map((part) => part.split('}').map(encoded));
  const params = parts.map(([name = '', literal = '']) => ({ name: decodeURI(name), literal }));
  return (segment, into) => {
    const [start = ''] = before;
    if (!segment.startsWith(start)) return false;
    let at = start.length;
    for (const [i, { name, literal }] of params.entries()) {
      const isLast = i === params.length - 1;
      const end = isLast ? segment.length - literal.length : segment.indexOf(literal, at + 1);
      if (end <= at || !segment.startsWith(literal, end)) return false;
      into[name] = segment.slice(at, end);
      at = end + literal.length;
    }
    return true;
  };
}

/** The text of a template as it stands in a path. What is percent-encoded there already stays so. */
function encoded(text: string): string {
  return encodeURI(text).replace(/%25(?=[\dA-Fa-f]{2})/g, '%');
}

function newNode(): RouteNode {
  return { literals: new Map(), templates: [] };
}
