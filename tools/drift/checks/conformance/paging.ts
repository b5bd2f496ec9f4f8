import type { Pagination } from '@petstore/types';
import { parseJson } from '../../../openapi/compare.ts';
import type { Operation } from '../../../openapi/document.ts';
import type { Inputs } from '../../../openapi/serialize.ts';
import type { WireRequest } from '../../../openapi/wire.ts';
import { basePathOf, list, type Node, node, rowOf } from '../../openapi.ts';
import { requiredInputs } from '../values.ts';
import { prepare, requestFor, type Service, withPath } from './service.ts';

/** A list that is paged. */
export interface PagedList {
  readonly service: Service;
  readonly operation: Operation;
  readonly pagination: Pagination & { readonly limit: string };
  /** The inputs of its requests beside the query. */
  readonly inputs: Inputs;
}

/** A paged list, and the operation that adds to it. */
export interface Resource extends PagedList {
  readonly create: Operation;
}

/** A page of a list. */
export interface Page {
  readonly response: Response;
  readonly body: unknown;
  readonly elements: readonly unknown[];
}

/** Following pages ends at this number of elements. */
export const MAX_ELEMENTS = 600;

/** The list of an operation; nothing where it is not paged, or the size of its pages cannot be chosen. */
export function pagedList(service: Service, operation: Operation): PagedList | undefined {
  const { limit, ...pagination } = rowOf(service.spec, operation)?.pagination ?? {};
  if (!limit) return undefined;
  const inputs = requiredInputs(service.spec, operation);
  return { service, operation, inputs, pagination: { ...(pagination as Pagination), limit } };
}

/** Errors in following the pages of a list with at least two elements. */
export async function pagingErrors(service: Service, operation: Operation): Promise<string[]> {
  const paged = pagedList(service, operation);
  if (!paged) return [];
  const list = { ...paged, inputs: withPath(paged.inputs, await prepare(service, operation)) };
  const { elements } = await fetchPage(list, requestWith(list, {}));
  // There may be no operation that adds an element.
  if (elements.length < 2) return [];
  const query = { [list.pagination.limit]: 1 };
  const request = requestWith(list, query);
  const first = await fetchPage(list, request);
  if (first.elements.length !== 1) return [`a page of one has ${first.elements.length} elements`];
  const target = nextTarget(list, request.target, first, query);
  if (target === undefined) return ['nothing leads from the first of two pages to the next'];
  const second = await fetchPage(list, { ...request, target });
  const [one, other, expected] = [first.elements, second.elements, elements.slice(1, 2)].map((all) =>
    JSON.stringify(all),
  );
  return other === expected ? [] : [`the page behind ${one} is ${other}, not ${expected}`];
}

/** All elements that a query leads to, over pages of this size. */
export async function fetchAll(list: PagedList, query: Node, size: number): Promise<unknown[]> {
  const sized = { ...query, [list.pagination.limit]: size };
  const request = requestWith(list, sized);
  const found: unknown[] = [];
  let isCut = false;
  for (let target: string | undefined = request.target, pages = 0; target !== undefined; pages++) {
    const page: Page = await fetchPage(list, { ...request, target });
    if (isCut && list.pagination.by !== 'last' && page.elements.length === 0)
      return [...found, 'a page leads to nothing'];
    isCut = page.elements.length < size;
    found.push(...page.elements);
    if (pages > MAX_ELEMENTS / size) return [...found, 'the pages do not end'];
    target = nextTarget(list, target, page, sized);
    if (page.elements.length === 0) return found;
  }
  return found;
}

/** The request of a list with what it requires beside this query. */
export function requestWith({ service, operation, inputs }: PagedList, query: Node): WireRequest {
  const isEmpty = !inputs.query && Object.keys(query).length === 0;
  return requestFor(service, operation, isEmpty ? inputs : { ...inputs, query: { ...inputs.query, ...query } });
}

export async function fetchPage({ service, pagination: { items } }: PagedList, request: WireRequest): Promise<Page> {
  const response = await service.send(request);
  const body = parseJson(await response.text());
  return { response, body, elements: list(items === undefined ? body : node(body)[items]) };
}

/** Where the next page is, by the rule of the operation. */
function nextTarget(list: PagedList, target: string, { response, body, elements }: Page, query: Node) {
  const { by, next = '', key = '', cursor: parameter = '' } = list.pagination;
  if (by === 'link') {
    const [, link] = /<([^>]*)>; *rel="?next"?/.exec(response.headers.get('link') ?? '') ?? [];
    if (link === undefined) return undefined;
    const base = basePathOf(list.service.spec);
    const { pathname, search } = new URL(link, `http://localhost${base}${target}`);
    return pathname.slice(base.length) + search;
  }
  const cursor = by === 'body' ? node(body)[next] : node(elements.at(-1))[key];
  return cursor === undefined || cursor === null
    ? undefined
    : requestWith(list, { ...query, [parameter]: cursor }).target;
}
