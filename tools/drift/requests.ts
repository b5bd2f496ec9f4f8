// The HTTP request that the spec means by what a caller passes.
import { parseJson, printJson } from './exact-json.ts';
import type { Expect } from './findings.ts';
import type { Operation, Spec } from './spec.ts';

/** The API key of all checks. */
export const apiKey = 'a-key-for-the-drift-check';

/** What a caller passes to an operation. */
export interface Inputs {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** A request without the base URL and the API key. */
export interface SpecRequest {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The request that the spec means by inputs. */
export function requestOf(operation: Operation, inputs: Inputs): SpecRequest {
  const { method, parameters, idempotencyKey } = operation;
  const all = idempotencyKey ? [...parameters, idempotencyKey] : parameters;
  const textsIn = (place: string) =>
    all
      .filter((each) => each.in === place)
      .flatMap(({ name }) => textsOf(inputs.parameters[name]).map((text) => [name, text] as const));
  const query = textsIn('query');
  const headers: Record<string, string> = {};
  for (const [name, text] of textsIn('header')) headers[name.toLowerCase()] = text;
  let { path } = operation;
  for (const [name, text] of textsIn('path'))
    path = path.replace(`{${name}}`, encodeURIComponent(text));
  const request = { method, path, query, headers };
  return inputs.body === undefined ? request : withBody(request, inputs.body);
}

/** The request with a JSON body. */
export function withBody(request: SpecRequest, value: unknown): SpecRequest {
  const headers = { ...request.headers, 'content-type': 'application/json' };
  return { ...request, headers, body: printJson(value) };
}

/** The path and the query of a request. */
export function targetOf({ path, query }: SpecRequest): string {
  const pairs = query.map((pair) => pair.map(encodeURIComponent).join('='));
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/**
 * Compares a request that a program sends or shows, except for its headers and the order of its
 * query.
 */
export function compareRequest(
  { basePath }: Spec,
  wanted: SpecRequest,
  found: { readonly method: unknown; readonly url: string; readonly body: unknown },
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

/** The texts of a parameter: none if it is left out, and one for each item of an array. */
export function textsOf(value: unknown): string[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

/** What a header can carry: visible ASCII, such as `8e03978e`. */
const headerText = /^[!-~]+$/;

/** Servers and proxies bound the head of a request. */
const MAX_HEAD = 2_000;

/** Whether a place of a request can carry these texts. */
export function canCarry(place: string, texts: readonly string[]): boolean {
  if (texts.join('').length > MAX_HEAD) return false;
  if (place === 'header') return texts.every((text) => headerText.test(text));
  // A segment of a path is not empty. A server in front may not pass on an escaped slash or NUL.
  if (place === 'path')
    return texts.every((text) => text !== '' && !text.includes('/') && !text.includes('\0'));
  return true;
}
