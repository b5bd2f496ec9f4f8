// Where a request goes, and which operation of the spec is there.
import { type Operation, operations, service } from '@petstore/types';

/** A path of the spec with its operations. */
export interface Route {
  readonly segments: readonly string[];
  /** By method. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of `Allow`. */
  readonly allow: string;
}

/** Values by name: those of parameters, or of the properties of a body. */
export type Values = Readonly<Record<string, unknown>>;

/** The content of a request. An integer of more than 64 bits stays a string, which the validators reject. */
export interface Input {
  readonly query: Values;
  readonly path: Values;
  readonly header: Values;
  readonly idempotencyKey: string | undefined;
  /** The parsed body; undefined without one. */
  body?: unknown;
  /** Set when the validators have accepted it. */
  isAccepted?: boolean;
  /** What a handler gets: the parameters and the properties of the body. Set when one is called. */
  values?: Values;
}

/** A body that was sent, and its version. */
export interface Version {
  readonly body: string;
  readonly etag: string;
}

/** What the target of a request says. Each escape is decoded once. */
export interface Target {
  /** The path as it was sent. */
  readonly path: string;
  /** The path with nothing escaped that needs no escape. */
  readonly url: string;
  readonly isWellFormed: boolean;
  /** Whether the path is below the base path of the service. */
  readonly isService: boolean;
  readonly route: Route | undefined;
  /** The values of the parameters in the path. */
  readonly params: ReadonlyMap<string, string>;
  readonly query: readonly (readonly [name: string, value: string])[];
  // A target outlives its request, because the next request repeats it. So it also remembers for its GET operation:
  /** the content, if it depends on the target alone; */
  input?: Input;
  /** the body of the last response. */
  version?: Version;
}

export const MAX_REMEMBERED = 4000;
/** Longer targets would take much memory. */
export const MAX_REMEMBERED_LENGTH = 256;

/** The targets of recent requests. Clients repeat them, and finding one takes less time than parsing it. */
const remembered = new Map<string, Target>();

/** The target with this text. */
export function targetOf(text: string): Target {
  const known = remembered.get(text);
  if (known) return known;
  const target = parseTarget(text);
  if (text.length > MAX_REMEMBERED_LENGTH) return target;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(text, target);
  return target;
}

const routes = createRoutes();

/** The paths of the spec. A fixed path comes before one with parameters. */
function createRoutes(): readonly Route[] {
  const byPath = Map.groupBy(Object.values<Operation>(operations), ({ path }) => path);
  const all = [...byPath].map(([path, operationsThere]) => ({
    segments: (service.basePath + path).split('/'),
    operations: new Map(operationsThere.map((operation) => [operation.method, operation])),
    allow: allowed(operationsThere),
  }));
  return all.sort((one, other) => parametersIn(one) - parametersIn(other));
}

function parametersIn({ segments }: Route): number {
  return segments.filter(isParameter).length;
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

/** The value of `Allow`. A path with GET has HEAD, and every path has OPTIONS. */
function allowed(all: readonly Operation[]): string {
  const methods: string[] = all.map(({ method }) => method);
  if (methods.includes('GET')) methods.splice(methods.indexOf('GET') + 1, 0, 'HEAD');
  return [...methods, 'OPTIONS'].join(', ');
}

/** A slash and printable ASCII without `#`. */
const WELL_FORMED = /^\/[!"$-~]*$/;

function parseTarget(text: string): Target {
  const own = withoutOrigin(text);
  const at = own.indexOf('?');
  const path = at < 0 ? own : own.slice(0, at);
  const query = at < 0 ? '' : own.slice(at + 1);
  const segments = path.split('/').map(decoded);
  const isWellFormed =
    WELL_FORMED.test(own) && !segments.includes(undefined) && decoded(query) !== undefined;
  const route = isWellFormed ? routeOf(segments) : undefined;
  return {
    path,
    url: isWellFormed && path.includes('%') ? reencoded(segments) : path,
    isWellFormed,
    isService: base.every((segment, i) => segment === segments[i]),
    route,
    params: paramsOf(route, segments),
    query: query === '' ? [] : [...new URLSearchParams(`?${query}`)],
  };
}

type Segments = readonly (string | undefined)[];

const base = service.basePath.split('/');

function routeOf(segments: Segments): Route | undefined {
  return routes.find((route) => {
    if (route.segments.length !== segments.length) return false;
    return route.segments.every((name, i) =>
      isParameter(name) ? segments[i] !== '' : name === segments[i],
    );
  });
}

function paramsOf(route: Route | undefined, segments: Segments): Map<string, string> {
  const params = new Map<string, string>();
  for (const [i, name] of route?.segments.entries() ?? [])
    if (isParameter(name)) params.set(name.slice(1, -1), segments[i] ?? '');
  return params;
}

function reencoded(segments: Segments): string {
  return segments.map((segment = '') => encodeURIComponent(segment)).join('/');
}

/** `https://shop.example:8080` */
const ORIGIN = /^https?:\/\/[^/?#]+/i;

/** The path and query of a target that has a scheme and a host (RFC 9112 3.2.2). Any other target stays as it is. */
function withoutOrigin(text: string): string {
  const own = text.replace(ORIGIN, '');
  return own === text || own.startsWith('/') ? own : `/${own}`;
}

/** Undefined if the escapes are not those of UTF-8. */
function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
