import { type Operation, operations } from '@petstore/types';
import { basePath } from '../spec.ts';

/** A path of the interface, with all that can be done there. */
export interface Place {
  readonly methods: ReadonlyMap<string, Operation>;
  /** The methods that HTTP lets a client use here, for the `Allow` header. */
  readonly allow: string;
}

/** A place, and the path fields as they stand in the path that led there. */
export interface Found {
  readonly place: Place;
  readonly fields: Readonly<Record<string, string>>;
}

/** A point on the way along a path, segment by segment: so that finding a place takes no longer where there are many. */
interface Point {
  readonly literals: Map<string, Point>;
  /** What may stand here instead, by how the spec writes it: `{petId}`. */
  readonly fields: Map<string, [fieldsIn: (segment: string) => Found['fields'] | undefined, behind: Point]>;
  place?: Place;
}

const start = newPoint();
/** Those without fields, which need no way. */
const literal = new Map<string, Found>();
for (const [path, here] of Map.groupBy(Object.values<Operation>(operations), (one) => one.path)) {
  const methods = new Map(here.map((operation) => [operation.method as string, operation]));
  const also = methods.has('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  const end = `${basePath}${path}`.split('/').reduce(next, start);
  end.place = { methods, allow: [...methods.keys(), ...also].join(', ') };
  if (!path.includes('{')) literal.set(basePath + path, { place: end.place, fields: {} });
}

/** The place of the interface that a request's path leads to, letter by letter, if it does. */
export function placeAt(path: string): Found | undefined {
  return literal.get(path) ?? follow(start, path, 0);
}

/** Goes on from a point, with the segment that begins there. */
function follow(point: Point, path: string, begin: number): Found | undefined {
  if (begin > path.length) return point.place && { place: point.place, fields: {} };
  const slash = path.indexOf('/', begin);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(begin, end);
  const straight = point.literals.get(segment);
  const found = straight && follow(straight, path, end + 1);
  if (found) return found;
  for (const [fieldsIn, behind] of point.fields.values()) {
    const fields = fieldsIn(segment);
    const rest = fields && follow(behind, path, end + 1);
    if (rest) return { place: rest.place, fields: { ...fields, ...rest.fields } };
  }
  return undefined;
}

function next({ literals, fields }: Point, segment: string): Point {
  const known = literals.get(segment) ?? fields.get(segment)?.[1];
  if (known) return known;
  const point = newPoint();
  if (segment.includes('{')) fields.set(segment, [reader(segment), point]);
  else literals.set(segment, point);
  return point;
}

/** Reads the fields out of a segment that the spec writes so. */
function reader(written: string): (segment: string) => Found['fields'] | undefined {
  const [, name] = /^\{(\w+)\}$/.exec(written) ?? [];
  if (name !== undefined) return (segment) => (segment === '' ? undefined : { [name]: segment });
  const escaped = written.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`, 's');
  return (segment) => pattern.exec(segment)?.groups;
}

function newPoint(): Point {
  return { literals: new Map(), fields: new Map() };
}

/** The path of an operation as Express writes it. */
export function routeOf({ path }: Operation): string {
  return basePath + path.replace(/\{(\w+)\}/g, ':$1');
}
