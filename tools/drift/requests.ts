// Compares a request that a program sends or shows with the one that the spec means.
import type { Request } from './cases.ts';
import { parseJson } from './exact.ts';
import type { Spec } from './interface.ts';

/** A request as it was found, with its parsed body. */
export interface FoundRequest {
  readonly method: unknown;
  readonly url: string;
  readonly body: unknown;
}

/** Reports two values that should be equal. */
export type Expect = (what: string, found: unknown, wanted: unknown) => void;

/** Compares all but the headers. The order of the query does not matter. */
export function compareRequest(
  { basePath }: Spec,
  wanted: Request,
  found: FoundRequest,
  expect: Expect,
): void {
  const { pathname, searchParams } = new URL(found.url);
  expect('the method of the request', found.method, wanted.method);
  const path = decodeURIComponent(basePath + wanted.path);
  expect('the path of the request', decodeURIComponent(pathname), path);
  const pairs = (entries: Iterable<readonly string[]>) => [...entries].map(String).sort();
  expect('the query of the request', pairs(searchParams), pairs(wanted.query));
  const body = wanted.body === undefined ? undefined : parseJson(wanted.body);
  expect('the body of the request', found.body, body);
}
