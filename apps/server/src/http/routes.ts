import { type Operation, operations, service } from '../old.ts';

/** A path of the interface, with its operations by method. */
export interface Route {
  readonly methods: ReadonlyMap<string, Operation>;
  /** The `Allow` header: the methods of the operations, HEAD and OPTIONS. */
  readonly allow: string;
}

/** A matched route, and the raw path parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Record<string, string>;
}

/** A node of the tree of all paths by segment, so a match only tries routes that begin alike. */
interface RouteNode {
  readonly literals: Map<string, RouteNode>;
  /** The children after a segment with parameters, most specific first. */
  readonly templates: { template: string; match: MatchSegment; child: RouteNode }[];
  route?: Route;
}

/** Stores the parameters of a segment in an object; false if the segment does not match. */
type MatchSegment = (segment: string, params: Record<string, string>) => boolean;

/** Finds the route of a normalized path. */
export function matchRoute(path: string): RouteMatch | undefined {
  return path.startsWith(prefix) ? matchBelow(root, path, prefix.length) : undefined;
}

/** The path of an operation in the syntax of Express. */
export function expressPathOf({ path }: Operation): string {
  return (service.basePath + path).replace(/\{([^}]*)\}|[{}()[\]+?!:*\\]/g, (special, name?: string) => {
    if (name === undefined) return `\\${special}`;
    return /^\w+$/.test(name) ? `:${name}` : `:${JSON.stringify(name)}`;
  });
}

const prefix = `${service.basePath}/`;
const root = newNode();
for (const [path, atPath] of Map.groupBy(Object.values<Operation>(operations), (operation) => operation.path)) {
  const methods = new Map(atPath.map((operation) => [operation.method as string, operation]));
  const allowed = new Set([...methods.keys(), ...(methods.has('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'])]);
  const leaf = path.slice(1).split('/').reduce(childOf, root);
  leaf.route = { methods, allow: [...allowed].join(', ') };
}

/** Matches the rest of a path, whose next segment begins at `begin`. */
function matchBelow(node: RouteNode, path: string, begin: number): RouteMatch | undefined {
  if (begin > path.length) return node.route && { route: node.route, params: {} };
  const slash = path.indexOf('/', begin);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(begin, end);
  const literal = node.literals.size > 0 ? node.literals.get(segment) : undefined;
  const match = literal && matchBelow(literal, path, end + 1);
  if (match) return match;
  for (const { match: matchSegment, child } of node.templates) {
    // The rest comes first, because its leaf creates the object for the parameters.
    const rest = matchBelow(child, path, end + 1);
    if (rest && matchSegment(segment, rest.params)) return rest;
  }
  return undefined;
}

function childOf({ literals, templates }: RouteNode, segment: string): RouteNode {
  const known = literals.get(encoded(segment)) ?? templates.find(({ template }) => template === segment)?.child;
  if (known) return known;
  const child = newNode();
  if (segment.includes('{')) {
    templates.push({ template: segment, match: segmentMatcher(segment), child });
    // The most specific template comes first: `{x}.json` before `{x}`.
    templates.sort((left, right) => literalLength(right.template) - literalLength(left.template));
  } else {
    literals.set(encoded(segment), child);
  }
  return child;
}

/** The number of characters outside the parameters of a template. */
function literalLength(template: string): number {
  return template.replace(/\{[^}]*\}/g, '').length;
}

/** Matches segments with a template such as `{id}` or `{name}.json`. With several parameters, a regular expression would backtrack. */
function segmentMatcher(template: string): MatchSegment {
  const [[start = ''] = [], ...parts] = template.split('{').map((part) => part.split('}').map(encoded));
  const parameters = parts.map(([name = '', literal = '']) => ({ name: decodeURI(name), literal }));
  return (segment, params) => {
    if (!segment.startsWith(start)) return false;
    let at = start.length;
    for (const [i, { name, literal }] of parameters.entries()) {
      const isLast = i === parameters.length - 1;
      const end = isLast ? segment.length - literal.length : segment.indexOf(literal, at + 1);
      if (end <= at || !segment.startsWith(literal, end)) return false;
      params[name] = segment.slice(at, end);
      at = end + literal.length;
    }
    return true;
  };
}

/** Percent-encodes the text of a template, as in a path. Existing escapes stay. */
function encoded(text: string): string {
  return encodeURI(text).replace(/%25(?=[\dA-Fa-f]{2})/g, '%');
}

function newNode(): RouteNode {
  return { literals: new Map(), templates: [] };
}
