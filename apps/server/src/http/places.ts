import { type Operation, operations } from '@petstore/types';
import { basePath } from '../spec.ts';

/** A path of the interface, with all that can be done there. */
export interface Place {
  readonly methods: ReadonlyMap<string, Operation>;
  /** The methods that HTTP lets a client use here, for the `Allow` header. */
  readonly allow: string;
  /** Matches a path letter by letter; its groups are the path fields, undecoded. */
  readonly pattern: RegExp;
}

const places: readonly Place[] = [...Map.groupBy(Object.values<Operation>(operations), (one) => one.path)].map(
  ([path, here]) => {
    const methods = new Map(here.map((operation) => [operation.method as string, operation]));
    const also = methods.has('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
    return {
      methods,
      allow: [...methods.keys(), ...also].join(', '),
      pattern: new RegExp(`^${basePath}${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    };
  },
);

/** The path of the interface that a request's path is, if it is one. */
export function placeAt(path: string): Place | undefined {
  return places.find(({ pattern }) => pattern.test(path));
}

/** The path of an operation as Express writes it. */
export function routeOf({ path }: Operation): string {
  return basePath + path.replace(/\{(\w+)\}/g, ':$1');
}
