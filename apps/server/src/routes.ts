import { type Operation, operations, service } from '@petstore/types';

/** A path of the spec. */
export interface Route {
  readonly operations: ReadonlyMap<string, Operation>;
  /** The value of `Allow`. */
  readonly allow: string;
  readonly segments: readonly string[];
}

const byPath = Map.groupBy(Object.values<Operation>(operations), ({ path }) => path);

const routes: readonly Route[] = [...byPath].map(([path, all]) => {
  const methods = all.map(({ method }) => method);
  return {
    operations: new Map(all.map((operation) => [operation.method, operation])),
    allow: [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '),
    segments: (service.basePath + path).split('/'),
  };
});
// A fixed path goes before one with parameters.
const inOrder = routes.toSorted((a, b) => parametersIn(a) - parametersIn(b));

/** The route of a path, and its parameters, still encoded. */
export function routeOf(path: string): { route: Route; params: Readonly<Record<string, string>> } | undefined {
  const given = path.split('/');
  for (const route of inOrder) {
    const { segments } = route;
    if (segments.length !== given.length) continue;
    const params: Record<string, string> = {};
    const isMatch = segments.every((segment, i) => {
      const text = given[i] ?? '';
      if (!segment.startsWith('{')) return segment === text;
      params[segment.slice(1, -1)] = text;
      return text !== '';
    });
    if (isMatch) return { route, params };
  }
  return undefined;
}

function parametersIn({ segments }: Route): number {
  return segments.filter((segment) => segment.startsWith('{')).length;
}

/** Headers for every response of an operation that is deprecated. */
export const noticesOf: ReadonlyMap<Operation, Readonly<Record<string, string>>> = new Map(
  Object.values<Operation>(operations).map((operation) => [operation, noticesFor(operation)]),
);

function noticesFor({ deprecatedSince, sunset, successor }: Operation): Record<string, string> {
  const instead = Object.values<Operation>(operations).find(({ id }) => id === successor);
  return {
    ...(deprecatedSince && { Deprecation: `@${Date.parse(deprecatedSince) / 1000}` }),
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(instead && { Link: `<${service.basePath}${instead.path}>; rel="successor-version"` }),
  };
}
