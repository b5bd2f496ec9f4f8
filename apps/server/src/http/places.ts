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
  readonly fields: Record<string, string>;
}

/** A point on the way along a path, segment by segment: so that finding a place takes no longer where there are many. */
interface Point {
  readonly literals: Map<string, Point>;
  /** Where to go on if the segment is one with fields. */
  readonly fields: { written: string; read: ReadFields; behind: Point }[];
  place?: Place;
}

/** Reads the fields of a segment into an object; false where it is another kind of segment. */
type ReadFields = (segment: string, into: Record<string, string>) => boolean;

const prefix = `${basePath}/`;
const start = newPoint();
for (const [path, here] of Map.groupBy(Object.values<Operation>(operations), (one) => one.path)) {
  const methods = new Map(here.map((operation) => [operation.method as string, operation]));
  const also = methods.has('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  const end = path.slice(1).split('/').reduce(next, start);
  end.place = { methods, allow: [...methods.keys(), ...also].join(', ') };
}

/** The place of the interface that a request's path leads to, letter by letter, if it does. */
export function placeAt(path: string): Found | undefined {
  return path.startsWith(prefix) ? follow(start, path, prefix.length) : undefined;
}

/** Goes on from a point, with the segment that begins there. */
function follow(point: Point, path: string, begin: number): Found | undefined {
  if (begin > path.length) return point.place && { place: point.place, fields: {} };
  const slash = path.indexOf('/', begin);
  const end = slash < 0 ? path.length : slash;
  const segment = path.slice(begin, end);
  const straight = point.literals.size > 0 ? point.literals.get(segment) : undefined;
  const found = straight && follow(straight, path, end + 1);
  if (found) return found;
  for (const { read, behind } of point.fields) {
    const rest = follow(behind, path, end + 1);
    if (rest && read(segment, rest.fields)) return rest;
  }
  return undefined;
}

function next({ literals, fields }: Point, segment: string): Point {
  const known = literals.get(segment) ?? fields.find(({ written }) => written === segment)?.behind;
  if (known) return known;
  const behind = newPoint();
  if (segment.includes('{')) fields.push({ written: segment, read: reader(segment), behind });
  else literals.set(segment, behind);
  return behind;
}

/** Reads segments that the spec writes so. */
function reader(written: string): ReadFields {
  const [, name] = /^\{(\w+)\}$/.exec(written) ?? [];
  if (name !== undefined) {
    return (segment, into) => {
      into[name] = segment;
      return segment !== '';
    };
  }
  const escaped = written.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>.+)')}$`, 's');
  return (segment, into) => {
    const groups = pattern.exec(segment)?.groups;
    Object.assign(into, groups);
    return groups !== undefined;
  };
}

function newPoint(): Point {
  return { literals: new Map(), fields: [] };
}

/** The path of an operation as Express writes it. */
export function routeOf({ path }: Operation): string {
  return basePath + path.replace(/\{(\w+)\}/g, ':$1');
}
