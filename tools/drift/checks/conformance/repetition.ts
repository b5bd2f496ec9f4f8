import type { WireRequest } from '../../../openapi/wire.ts';
import { node } from '../../openapi.ts';
import { requiredInputs } from '../values.ts';
import { fetchAll, fetchPage, type Page, type Resource, requestWith } from './paging.ts';
import { requestFor, type Service, withHeader } from './service.ts';

const createRequest = ({ service, create }: Resource) =>
  requestFor(service, create, requiredInputs(service.spec, create));

/** Errors in conditional requests: the current ETag leads to 304, an unknown one does not. */
export async function tagErrors({ send }: Service, request: WireRequest, tag: string): Promise<string[]> {
  const statusWith = async (value: string) => (await send(withHeader(request, 'If-None-Match', value))).status;
  const [same, other] = [await statusWith(tag), await statusWith('"no-such-version"')];
  return [
    ...(same === 304 ? [] : [`If-None-Match with the current ETag is answered ${same}, not 304`]),
    ...(other === 304 ? ['If-None-Match with an unknown ETag is answered 304'] : []),
  ];
}

/** Errors in the ETag of a list: it changes when an element is added. */
export async function versionErrors(resource: Resource): Promise<string[]> {
  const { send } = resource.service;
  const request = requestWith(resource, {});
  const tag = (await send(request)).headers.get('etag');
  if (!tag) return [];
  const errors = await tagErrors(resource.service, request, tag);
  await send(createRequest(resource));
  const { status } = await send(withHeader(request, 'If-None-Match', tag));
  return status === 304 ? [...errors, 'the ETag of a list stays the same when an element is added'] : errors;
}

/** Errors in repeated requests: a response that was sent several times changes after a write. */
export async function staleErrors(resource: Resource, elements: readonly unknown[]): Promise<string[]> {
  const { cursor, key = '' } = resource.pagination;
  if (cursor === undefined || elements.length === 0) return [];
  const last = requestWith(resource, { [cursor]: node(elements.at(-1))[key] });
  const pages: Page[] = [];
  for (let i = 0; i < 4; i++) {
    if (i === 3) await resource.service.send(createRequest(resource));
    pages.push(await fetchPage(resource, last));
  }
  const [first = 0, , , after = 0] = pages.map(({ elements: { length } }) => length);
  const ids = pages.map(({ response }) => response.headers.get('x-request-id')).filter((id) => id !== null);
  return [
    ...(after > first ? [] : ['the same request is answered as before, after an element was added']),
    ...(new Set(ids).size === ids.length ? [] : ['two responses have the same X-Request-Id']),
  ];
}

/** Errors in requests that repeat an idempotency key: the first response is sent again, and one element is created. */
export async function replayErrors(resource: Resource): Promise<string[]> {
  const { service, create } = resource;
  if (!create.idempotencyKey) return [];
  const request = withHeader(createRequest(resource), create.idempotencyKey.name, `a-key-for-repeating-${create.id}`);
  const count = async () => (await fetchAll(resource, {}, 50)).length;
  const before = await count();
  const [one, other] = [await service.send(request), await service.send(request)];
  const added = (await count()) - before;
  const [text, again] = [await one.text(), await other.text()];
  return [
    ...(text === again && one.status === other.status
      ? []
      : [`a repeated request is answered ${other.status} ${again}, not ${one.status} ${text}`]),
    ...(added === 1 ? [] : [`a request that is sent twice adds ${added} elements`]),
    ...(other.headers.get('idempotency-replayed') === 'true' && !one.headers.has('idempotency-replayed')
      ? []
      : ['Idempotency-Replayed does not tell a repetition']),
  ];
}
