import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation, OperationResponse } from '@petstore/types';
import { handlers, storedHandlers } from '../handlers.ts';
import { MAX_PAGE_BYTES } from '../limits.ts';
import type { Awaitable, Store } from '../store/store.ts';
import type { BodyBudget } from './body.ts';
import { unavailable } from './http-error.ts';
import { idempotencyKeyOf, idempotentRequests, idOf, writtenOnce } from './idempotency.ts';
import { onlyVersions, wantedVersions } from './if-match.ts';
import { readyResponses } from './ready-response.ts';
import type { Input, RequestContext } from './request-context.ts';
import {
  type Content,
  contentOf,
  nextPage,
  type PageInfo,
  pageContent,
  type StoredResponse,
  storedContent,
  type WriteResponse,
} from './response.ts';
import type { CollectionState, Targets } from './targets.ts';

/** Calls the handler of an operation and writes its result. Errors are left to the caller. */
export type Dispatch = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  operation: Operation,
  input: Input,
) => void | Promise<void>;

type Handler = (input: Input) => Promise<unknown>;
type StoredHandler = (input: Input) => Awaitable<StoredResponse | undefined>;

/** A request for an operation whose input was accepted. */
interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  context: RequestContext;
  operation: Operation;
  input: Input;
}

interface Success {
  content: Content | undefined;
  /** What the ETag is made of. */
  version?: string | undefined;
  page?: PageInfo | undefined;
  /** Where the operation has several successes. */
  status?: number;
  /** Whether the request had been done before. */
  isReplayed?: boolean | undefined;
  /** The collection version that the response was read from; a cached response is valid until it changes. */
  state?: CollectionState | undefined;
}

export function dispatcher(
  store: Store,
  write: WriteResponse,
  budget: BodyBudget,
  maxPendingWrites: number,
  targets: Targets,
): Dispatch {
  const own = handlersOver(store);
  const inFlight = idempotentRequests();
  const ready = readyResponses(targets);
  let pendingWrites = 0;

  return (request, response, context, operation, input) => {
    if (request.headers['if-none-match'] === undefined && ready.send(response, context)) return;
    const call = { request, response, context, operation, input };
    const found = SAFE_METHODS.has(operation.method) ? own.stored[operation.id]?.(input) : undefined;
    return found instanceof Promise ? found.then((one) => respond(call, one)) : respond(call, found);
  };

  function respond(call: Call, found: StoredResponse | undefined): void | Promise<void> {
    if (!found) return callHandler(call);
    succeed(call, storedSuccess(found));
  }

  function succeed({ request, response, context, operation, input }: Call, success: Success): void {
    const { content, version, page, state, isReplayed, status = operation.success ?? 200 } = success;
    // A document's bytes depend only on its version: a strong tag. Pages of one version may end elsewhere: a weak one.
    const tag = version && (page ? `W/"${version}"` : `"${version}"`);
    const headers = tag === undefined ? [] : ['ETag', tag];
    if (isReplayed) headers.push('Idempotency-Replayed', 'true');
    if (tag && isKnown(request.headers['if-none-match'], tag)) return write(response, context, 304, headers);
    if (page) headers.push(...nextPage(context, operation, input, page));
    if (state && content && 'text' in content) ready.prepare(response, context, status, headers, content, state);
    write(response, context, status, headers, content);
  }

  async function callHandler(call: Call): Promise<void> {
    const { request, context, operation, input } = call;
    const isWrite = !SAFE_METHODS.has(operation.method);
    const versions = isWrite ? wantedVersions(operation.method, request.headers['if-match']) : undefined;
    if (isWrite && pendingWrites >= maxPendingWrites) {
      throw unavailable('Too many writes are waiting for the store. Nothing was done; try again later.');
    }
    const key = idempotencyKeyOf(request.headers, operation);
    const id = key === undefined ? undefined : idOf(key, context.keyName);
    const begun = id === undefined ? undefined : inFlight.begin(operation, id, input);
    if (isWrite) pendingWrites++;
    // The store uses the body until the handler returns, even if the client disconnects, so its memory counts until then.
    context.isPending = true;
    let success: Success;
    try {
      const once = begun instanceof Promise ? await begun : begun;
      const used = versions ? onlyVersions(store, versions) : store;
      const over = once ? writtenOnce(used, once) : used;
      const { api, stored } = over === store ? own : handlersOver(over);
      const written = isWrite ? await stored[operation.id]?.(input) : undefined;
      success = written ? storedSuccess(written) : successOf(operation, input, await api[operation.id]?.(input));
      success.isReplayed = once?.isReplayed;
    } finally {
      if (isWrite) pendingWrites--;
      if (id !== undefined) inFlight.end(id);
      context.isPending = false;
      budget.release(context);
    }
    succeed(call, success);
  }
}

/** The handlers of a store by operation ID. The casts are safe because the validator has accepted the input. */
function handlersOver(store: Store) {
  return {
    api: handlers(store) as unknown as Record<string, Handler>,
    stored: (store.passesJson ? storedHandlers(store) : {}) as Record<string, StoredHandler | undefined>,
  };
}

function storedSuccess({ json, version, page, state }: StoredResponse): Success {
  return { content: storedContent(json), version, page, state };
}

/** The response that the result of a handler is. */
function successOf(operation: Operation, input: Input, result: unknown): Success {
  const { pagination, successes } = operation;
  if (successes.length > 1) {
    const { status, data } = result as { status: number; data: unknown };
    return { content: contentOf(describedIn(operation, status), data), status };
  }
  const { key, limit = '' } = pagination ?? {};
  if (key === undefined || !Array.isArray(result)) {
    return { content: contentOf(operation.responses[successes[0] ?? ''], result) };
  }
  const { content, count, last } = pageContent(result, key);
  const more = count >= Number(input[limit]) || content.bytes >= MAX_PAGE_BYTES;
  return { content, page: { more, last } };
}

/** Methods that change nothing (RFC 9110 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** What the spec says of a success with this status. */
function describedIn({ responses }: Operation, status: number): OperationResponse | undefined {
  return responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
}

/** Whether the client has this version already, in the weak comparison of RFC 9110 13.1.2. */
function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = tag.replace(/^W\//, '');
  return ifNoneMatch.split(',').some((one) => ['*', opaque].includes(one.trim().replace(/^W\//, '')));
}
