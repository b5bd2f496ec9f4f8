import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, responseOf } from '@petstore/types';
import { handlers, storedHandlers } from '../handlers.ts';
import { MAX_PAGE_BYTES } from '../limits.ts';
import type { Awaitable, Store } from '../store/store.ts';
import type { BodyBudget } from './body.ts';
import { cachedResponses } from './cached-responses.ts';
import { allowedVersions, entityTag, isKnown, onlyVersions } from './conditional-requests.ts';
import { unavailable } from './http-error.ts';
import { idempotencyKeyOf, idempotentRequests, writtenOnce } from './idempotency.ts';
import type { Input } from './input.ts';
import { nextLink, type PageInfo } from './next-link.ts';
import type { RequestContext } from './request-context.ts';
import type { StoredResponse, WriteResponse } from './response.ts';
import { type Content, contentOf, pageContent, storedContent } from './response-content.ts';
import type { CollectionState, TargetCache } from './target-cache.ts';

/** Calls the handler of an operation and writes its result. Throws or rejects with any error. */
export type Dispatch = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  operation: Operation,
  input: Input,
) => void | Promise<void>;

/** Handlers by operation ID. */
type Handlers<Result> = Readonly<Record<string, ((input: Input) => Result) | undefined>>;

/** A request for an operation, with its validated input. */
interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  context: RequestContext;
  operation: Operation;
  input: Input;
}

interface Success {
  content: Content | undefined;
  /** The version that the ETag is made from. */
  version?: string | undefined;
  page?: PageInfo | undefined;
  /** Set if the operation has several success statuses. */
  status?: number;
  /** Whether an earlier request with the same idempotency key did the write. */
  isReplayed?: boolean | undefined;
  /** The state of the collection that the response was read from. A cached response is valid until this state changes. */
  state?: CollectionState | undefined;
}

export function dispatcher(
  store: Store,
  write: WriteResponse,
  budget: BodyBudget,
  maxPendingWrites: number,
  targetCache: TargetCache,
): Dispatch {
  const callHandler = handlersOf(store);
  const inFlight = idempotentRequests();
  const cached = cachedResponses(targetCache);
  let pendingWrites = 0;

  return (request, response, context, operation, input) => {
    // Only a GET has a cached response. With If-None-Match, the response may be a 304 instead.
    if (request.headers['if-none-match'] === undefined && cached.send(response, context)) return;
    const call = { request, response, context, operation, input };
    if (!SAFE_METHODS.has(operation.method) || operation.body) return dispatchWrite(call);
    const success = callHandler(operation, input);
    return success instanceof Promise ? success.then((result) => succeed(call, result)) : succeed(call, success);
  };

  function succeed({ request, response, context, operation, input }: Call, success: Success): void | Promise<void> {
    const { content, version, page, state, isReplayed, status = operation.success ?? 200 } = success;
    const tag = version && entityTag(version, page !== undefined);
    const headers = tag === undefined ? [] : ['ETag', tag];
    if (isReplayed) headers.push('Idempotency-Replayed', 'true');
    if (/^(GET|HEAD)$/.test(operation.method) && isKnown(request.headers['if-none-match'], tag)) {
      write(response, context, 304, headers);
      return content && 'stream' in content ? content.stream.cancel() : undefined;
    }
    if (page) headers.push(...nextLink(context, operation, input, page));
    if (state && content && 'text' in content) cached.save(response, context, status, headers, content, state);
    return write(response, context, status, headers, content);
  }

  /** Calls a handler that may write, or that uses a body. */
  async function dispatchWrite(call: Call): Promise<void> {
    const { request, context, operation, input } = call;
    const versions = allowedVersions(operation.method, request.headers['if-match']);
    if (pendingWrites >= maxPendingWrites) {
      throw unavailable('Too many writes are waiting for the store. Nothing was done; try again later.');
    }
    const key = idempotencyKeyOf(request.headers, operation, context.keyName);
    const started = key === undefined ? undefined : inFlight.begin(operation, key, input);
    pendingWrites++;
    // The store uses the body until the handler returns, even if the client disconnects, so its memory counts until then.
    context.isHandlerRunning = true;
    let success: Success;
    try {
      const idempotent = started instanceof Promise ? await started : started;
      const versioned = versions ? onlyVersions(store, versions) : store;
      const view = idempotent ? writtenOnce(versioned, idempotent) : versioned;
      success = await (view === store ? callHandler : handlersOf(view))(operation, input);
      success.isReplayed = idempotent?.isReplayed;
    } finally {
      pendingWrites--;
      if (key !== undefined) inFlight.end(key);
      context.isHandlerRunning = false;
      budget.release(context);
    }
    return succeed(call, success);
  }
}

/**
 * Creates the function that calls an operation: its stored handler, which returns the store's JSON unparsed; if there is none, or
 * it returns undefined, its handler in `Api`.
 */
function handlersOf(store: Store): (operation: Operation, input: Input) => Awaitable<Success> {
  // The casts are safe, because the validator accepts the input before a handler gets it.
  const api = handlers(store) as unknown as Handlers<Promise<unknown>>;
  const stored = (store.passesJson ? storedHandlers(store) : {}) as Handlers<Awaitable<StoredResponse | undefined>>;
  const callApi = async (operation: Operation, input: Input) =>
    successOf(operation, input, await api[operation.id]?.(input));
  return (operation, input) => {
    const result = stored[operation.id]?.(input);
    if (result instanceof Promise) return result.then((read) => storedSuccess(read) ?? callApi(operation, input));
    return storedSuccess(result) ?? callApi(operation, input);
  };
}

function storedSuccess(result: StoredResponse | undefined): Success | undefined {
  if (result === undefined) return undefined;
  const { json, version, page, state } = result;
  return { content: storedContent(json), version, page, state };
}

/** The success that the result of a handler stands for. */
function successOf(operation: Operation, input: Input, result: unknown): Success {
  const { pagination, successes } = operation;
  if (successes.length > 1) {
    const { status, data } = result as { status: number; data: unknown };
    return { content: contentOf(responseOf(operation, status), data), status };
  }
  const { key, limit: limitName = '' } = pagination ?? {};
  if (key === undefined || !Array.isArray(result)) {
    return { content: contentOf(operation.responses[successes[0] ?? ''], result) };
  }
  const { content, count, last } = pageContent(result, key);
  // There may be a next page if this one has as many elements as requested, or reached the largest size.
  const more = count >= Number(input[limitName]) || content.bytes >= MAX_PAGE_BYTES;
  return { content, page: { more, last } };
}

/** Methods without effects on the store (RFC 9110 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
