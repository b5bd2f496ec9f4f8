import type { Pagination } from '@petstore/types';
import type { Operation } from '../../../openapi/document.ts';
import { exampleInputs } from '../../../openapi/examples.ts';
import { expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import { wireRequest } from '../../../openapi/wire.ts';
import { basePathOf, list, node, type Spec } from '../../openapi.ts';
import { credentialsFor, type PathValues } from './attempts.ts';
import { parseExact } from './exact-json.ts';
import type { Send } from './preparation.ts';

/** What is wrong with the way from one page to the next, where there are at least two elements. */
export async function pagingErrors(
  spec: Spec,
  operation: Operation,
  key: string,
  existing: PathValues,
  send: Send,
): Promise<string[]> {
  const row = spec.model.rows.find(({ operation: { method, path } }) => isSame(operation, method, path));
  const pagination = row?.operation.pagination;
  if (!pagination?.limit) return [];
  const needed = exampleInputs(spec, operation)[0]?.inputs ?? {};
  const path = needed.path && { path: { ...needed.path, ...existing } };
  const whole = { ...needed, ...path };
  const inputs = withQuery(whole, pagination.limit, 1);
  const request = (given: Inputs) => wireRequest(expectedRequest(spec, operation.id, given, credentialsFor(spec, key)));
  // There may be no operation that adds an element.
  const all = await pageOf(await send(request(whole)), pagination);
  if (all.elements.length < 2) return [];
  const first = request(inputs);
  const page = await pageOf(await send(first), pagination);
  if (page.elements.length !== 1) return [`a page of one has ${page.elements.length} elements`];
  const target = targetBehind(spec, first.target, page, pagination, (value) =>
    request(withQuery(inputs, pagination.cursor ?? '', value)),
  );
  if (target === undefined) return ['nothing leads from the first of two pages to the next'];
  const next = await pageOf(await send({ ...first, target }), pagination);
  const [one, other, expected] = [page, next, { elements: all.elements.slice(1, 2) }].map(({ elements }) =>
    JSON.stringify(elements),
  );
  return other === expected ? [] : [`the page behind ${one} is ${other}, not ${expected}`];
}

/** A page of a list. */
export interface Page {
  readonly response: Response;
  readonly body: unknown;
  readonly elements: readonly unknown[];
}

function isSame(operation: Operation, method: string, path: string): boolean {
  return operation.method === method && operation.path === path;
}

function withQuery(inputs: Inputs, name: string, value: unknown): Inputs {
  return { ...inputs, query: { ...inputs.query, [name]: value } };
}

export async function pageOf(response: Response, { items }: Pagination): Promise<Page> {
  const body = parseExact(await response.text());
  return { response, body, elements: list(items === undefined ? body : node(body)[items]) };
}

/** Where the next page is, by the rule of the operation. */
export function targetBehind(
  spec: Spec,
  target: string,
  { response, body, elements }: Page,
  { by, next = '', key = '' }: Pagination,
  withCursor: (value: unknown) => { target: string },
): string | undefined {
  if (by === 'link') {
    const [, link] = /<([^>]*)>; *rel="?next"?/.exec(response.headers.get('link') ?? '') ?? [];
    if (link === undefined) return undefined;
    const base = basePathOf(spec);
    const { pathname, search } = new URL(link, `http://localhost${base}${target}`);
    return pathname.slice(base.length) + search;
  }
  const cursor = by === 'body' ? node(body)[next] : node(elements.at(-1))[key];
  return cursor === undefined || cursor === null ? undefined : withCursor(cursor).target;
}
