import type { Pagination } from '@petstore/types';
import { readJson } from '../../../openapi/compare.ts';
import { type Operation, resolve, type Schema } from '../../../openapi/document.ts';
import type { WireRequest } from '../../../openapi/serialize.ts';
import { list, type Node, node, operationPairs } from '../../openapi.ts';
import { requiredInputs } from '../values.ts';
import { type PathValues, prepare, requestFor, type Service, withPath, withQueryCredentials } from './service.ts';

/** A paged list, and the operation that returns its pages. */
export interface PagedList {
  readonly service: Service;
  readonly operation: Operation;
  readonly pagination: Pagination & { readonly limit: string };
  /** The schema of the parameter for the page size. */
  readonly limitSchema: Schema;
  /** Values for the parameters of the path, of existing resources. */
  readonly existing: PathValues;
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
export async function pagedList(service: Service, operation: Operation): Promise<PagedList | undefined> {
  const { spec } = service;
  const pair = operationPairs(spec).find((candidate) => candidate.operation === operation);
  const { limit, ...pagination } = pair?.modelOperation.pagination ?? {};
  if (!limit) return undefined;
  const limitSchema = resolve(spec, operation.parameters.find(({ name }) => name === limit)?.schema ?? {});
  const existing = await prepare(service, operation);
  return { service, operation, existing, limitSchema, pagination: { ...(pagination as Pagination), limit } };
}

/**
 * All elements of a list with this query, read in pages of the allowed size that is nearest to `preferredSize`. If the pages are
 * wrong, a message comes last.
 */
export async function fetchAll(paged: PagedList, query: Node, preferredSize: number): Promise<unknown[]> {
  const { minimum = 1, maximum = preferredSize } = paged.limitSchema;
  const size = Math.max(minimum, Math.min(preferredSize, maximum));
  const sizedQuery = { ...query, [paged.pagination.limit]: size };
  const request = requestWith(paged, sizedQuery);
  const elements: unknown[] = [];
  let isPartial = false;
  for (let target: string | undefined = request.target, pages = 0; target !== undefined; pages++) {
    const page: Page = await fetchPage(paged, { ...request, target });
    // A list that is paged by its last element ends only with an empty page.
    if (isPartial && paged.pagination.by !== 'last')
      return [...elements, 'a page that is not full leads to another page'];
    isPartial = page.elements.length < size;
    elements.push(...page.elements);
    if (pages > MAX_ELEMENTS / size) return [...elements, 'the pages do not end'];
    target = nextTarget(paged, target, page, sizedQuery);
    if (page.elements.length === 0) return elements;
  }
  return elements;
}

/** The request of a list with its required inputs and this query. */
export function requestWith({ service, operation, existing }: PagedList, query: Node): WireRequest {
  const inputs = requiredInputs(service.spec, operation);
  return requestFor(service, operation, { ...withPath(inputs, existing), query: { ...inputs.query, ...query } });
}

export async function fetchPage({ service, pagination: { items } }: PagedList, request: WireRequest): Promise<Page> {
  const response = await service.send(request);
  const body = readJson(await response.text());
  return { response, body, elements: list(items === undefined ? body : node(body)[items]) };
}

/** The path and query of the next page, by `x-pagination`; undefined after the last page. */
function nextTarget(paged: PagedList, target: string, { response, body, elements }: Page, query: Node) {
  const { by, next = '', key = '', cursor: parameter = '' } = paged.pagination;
  if (by === 'link') {
    const [, link] = /<([^>]*)>; *rel="?next"?/.exec(response.headers.get('link') ?? '') ?? [];
    if (link === undefined) return undefined;
    const { basePath } = paged.service.spec.model.service;
    const { pathname, search } = new URL(link, `http://localhost${basePath}${target}`);
    return withQueryCredentials(paged.service, paged.operation, pathname.slice(basePath.length) + search);
  }
  const cursor = by === 'body' ? node(body)[next] : node(elements.at(-1))[key];
  return cursor === undefined || cursor === null
    ? undefined
    : requestWith(paged, { ...query, [parameter]: cursor }).target;
}
