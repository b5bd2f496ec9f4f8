import type { Operation, Schema } from '../../../openapi/document.ts';
import type { Inputs, WireRequest } from '../../../openapi/serialize.ts';
import { node } from '../../openapi.ts';
import { fullInputs, requiredInputs } from '../values.ts';
import { fetchAll, fetchPage, type Page, type PagedList, requestWith } from './paging.ts';
import { prepare, requestFor, type Service, withHeader, withPath } from './service.ts';

/** A paged list, and the operation that adds an element to the list, with the media type and the schema of its JSON body. */
export interface Resource extends PagedList {
  readonly create: Operation;
  readonly body: { readonly type: string; readonly schema: Schema };
}

/** The request that adds an element with the required inputs, and with these instead. */
export function createRequest({ service, create, existing }: Resource, inputs: Inputs = {}): WireRequest {
  return requestFor(service, create, { ...withPath(requiredInputs(service.spec, create), existing), ...inputs });
}

/** Errors in conditional requests: the response to the current ETag has to be 304, and to an unknown ETag another status. */
export async function* tagErrors({ send }: Service, request: WireRequest, tag: string): AsyncGenerator<string> {
  const statusWith = async (value: string) => (await send(withHeader(request, 'If-None-Match', value))).status;
  const [current, unknown] = [await statusWith(tag), await statusWith('"no-such-version"')];
  if (current !== 304) yield `the response to If-None-Match with the current ETag is ${current}, not 304`;
  if (unknown === 304) yield 'the response to If-None-Match with an unknown ETag is 304';
}

/** Errors in the ETag of a list, which has to change when an element is added. */
export async function* versionErrors(resource: Resource): AsyncGenerator<string> {
  const { send } = resource.service;
  const request = requestWith(resource, {});
  const tag = (await send(request)).headers.get('etag');
  if (!tag) return;
  yield* tagErrors(resource.service, request, tag);
  await send(createRequest(resource));
  const { status } = await send(withHeader(request, 'If-None-Match', tag));
  if (status === 304) yield 'the ETag of a list stays the same when an element is added';
}

/** Errors in repeated requests: the response has to change after a write, even if it was sent several times before. */
export async function* staleErrors(resource: Resource, elements: readonly unknown[]): AsyncGenerator<string> {
  const { cursor, key } = resource.pagination;
  // Without a key, the cursor after the last element is unknown.
  if (cursor === undefined || key === undefined || elements.length === 0) return;
  const afterLast = requestWith(resource, { [cursor]: node(elements.at(-1))[key] });
  const pages: Page[] = [];
  for (let i = 0; i < 4; i++) {
    if (i === 3) await resource.service.send(createRequest(resource));
    pages.push(await fetchPage(resource, afterLast));
  }
  const [first = 0, , , after = 0] = pages.map(({ elements: { length } }) => length);
  if (after <= first) yield 'the same request gets the same elements before and after an element was added';
  const ids = pages.map(({ response }) => response.headers.get('x-request-id')).filter((id) => id !== null);
  if (new Set(ids).size < ids.length) yield 'two responses have the same X-Request-Id';
}

/** Errors in requests that repeat an idempotency key: the service has to create one element, and to send the first response again. */
export async function* creationReplayErrors(resource: Resource): AsyncGenerator<string> {
  const { service, create } = resource;
  if (!create.idempotencyKey) return;
  const request = withHeader(createRequest(resource), create.idempotencyKey.name, keyFor(create));
  const count = async () => (await fetchAll(resource, {}, 50)).length;
  const before = await count();
  const [first, second] = [await service.send(request), await service.send(request)];
  const added = (await count()) - before;
  yield* differences(first, second);
  if (added !== 1) yield `a request that is sent twice adds ${added} elements`;
  if (second.headers.get('idempotency-replayed') !== 'true' || first.headers.has('idempotency-replayed'))
    yield 'Idempotency-Replayed is not sent with exactly the second response';
}

/** Errors in a repeated request for one resource. After a success, the service has to send the first response again. */
export async function* resourceReplayErrors(service: Service, operation: Operation): AsyncGenerator<string> {
  if (!operation.idempotencyKey || !operation.path.includes('{')) return;
  const inputs = withPath(fullInputs(service.spec, operation), await prepare(service, operation));
  const request = withHeader(requestFor(service, operation, inputs), operation.idempotencyKey.name, keyFor(operation));
  const [first, second] = [await service.send(request), await service.send(request)];
  if (first.ok) yield* differences(first, second);
}

const keyFor = ({ id }: Operation) => `a-key-for-repeating-${id}`;

async function* differences(first: Response, second: Response): AsyncGenerator<string> {
  const [firstText, secondText] = [await first.text(), await second.text()];
  if (firstText !== secondText || first.status !== second.status)
    yield `the response to a repeated request is ${second.status} ${secondText}, not ${first.status} ${firstText}`;
}
