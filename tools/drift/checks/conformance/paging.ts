import type { Pagination } from '@petstore/types';
import { parseJson } from '../../../openapi/compare.ts';
import type { Operation, Schema } from '../../../openapi/document.ts';
import type { Inputs, WireRequest } from '../../../openapi/serialize.ts';
import { basePathOf, list, type Node, node, operationPairs } from '../../openapi.ts';
import { requiredInputs } from '../values.ts';
import { prepare, requestFor, type Service, withPath } from './service.ts';

/** A paged list, and the operation that returns its pages. */
export interface PagedList {
  readonly service: Service;
  readonly operation: Operation;
  readonly pagination: Pagination & { readonly limit: string };
  /** The required inputs of the operation. */
  readonly inputs: Inputs;
}

/** A paged list, and the operation that adds an element to the list, with the media type and the schema of its JSON body. */
export interface Resource extends PagedList {
  readonly create: Operation;
  readonly body: { readonly type: string; readonly schema: Schema };
}

/** A page of a list. */
export interface Page {
  readonly response: Response;
  readonly body: unknown;
  readonly elements: readonly unknown[];
}

/** A list with more elements than this is reported as endless. */
export const MAX_ELEMENTS = 600;

/** The paged list of an operation; undefined if the operation has no pages, or no parameter for the page size. */
export function pagedList(service: Service, operation: Operation): PagedList | undefined {
  const pair = operationPairs(service.spec).find((one) => one.operation === operation);
  const { limit, ...pagination } = pair?.modelOperation.pagination ?? {};
  if (!limit) return undefined;
  const inputs = requiredInputs(service.spec, operation);
  return { service, operation, inputs, pagination: { ...(pagination as Pagination), limit } };
}

/** Errors in the link from the first page of a list to the second. None if the list has fewer than two elements. */
export async function* pagingErrors(service: Service, operation: Operation): AsyncGenerator<string> {
  const paged = pagedList(service, operation);
  if (!paged) return;
  const list = { ...paged, inputs: withPath(paged.inputs, await prepare(service, operation)) };
  const { elements } = await fetchPage(list, requestWith(list, {}));
  // The spec may have no operation that adds elements, so the list may have too few elements to check.
  if (elements.length < 2) return;
  const query = { [list.pagination.limit]: 1 };
  const request = requestWith(list, query);
  const first = await fetchPage(list, request);
  if (first.elements.length !== 1) return yield `a page of size 1 has ${first.elements.length} elements`;
  const target = nextTarget(list, request.target, first, query);
  if (target === undefined) return yield 'the first of two pages has no link or cursor to the second page';
  const second = await fetchPage(list, { ...request, target });
  const [firstPage, secondPage, expected] = [first.elements, second.elements, elements.slice(1, 2)].map((page) =>
    JSON.stringify(page),
  );
  if (secondPage !== expected) yield `the page after ${firstPage} is ${secondPage}, not ${expected}`;
}

/** All elements of a list with this query, read in pages of this size. If the pages are wrong, the last element is an error. */
export async function fetchAll(list: PagedList, query: Node, size: number): Promise<unknown[]> {
  const sizedQuery = { ...query, [list.pagination.limit]: size };
  const request = requestWith(list, sizedQuery);
  const elements: unknown[] = [];
  let isPartial = false;
  for (let target: string | undefined = request.target, pages = 0; target !== undefined; pages++) {
    const page: Page = await fetchPage(list, { ...request, target });
    if (isPartial && list.pagination.by !== 'last' && page.elements.length === 0)
      return [...elements, 'a page that is not full leads to an empty page'];
    isPartial = page.elements.length < size;
    elements.push(...page.elements);
    if (pages > MAX_ELEMENTS / size) return [...elements, 'the pages do not end'];
    target = nextTarget(list, target, page, sizedQuery);
    if (page.elements.length === 0) return elements;
  }
  return elements;
}

/** The request of a list with its required inputs and this query. */
export function requestWith({ service, operation, inputs }: PagedList, query: Node): WireRequest {
  return requestFor(service, operation, { ...inputs, query: { ...inputs.query, ...query } });
}

export async function fetchPage({ service, pagination: { items } }: PagedList, request: WireRequest): Promise<Page> {
  const response = await service.send(request);
  const body = parseJson(await response.text());
  return { response, body, elements: list(items === undefined ? body : node(body)[items]) };
}

/** The path and query of the next page, by `x-pagination`; undefined after the last page. */
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
