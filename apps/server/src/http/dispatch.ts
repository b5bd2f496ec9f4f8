import type { IncomingMessage, ServerResponse } from 'node:http';
import { handlers } from '../handlers.ts';
import { MAX_PAGE_BYTES } from '../limits.ts';
import { type Operation, responseOf } from '../old.ts';
import { whenRead } from '../store/document.ts';
import type { Awaitable, Store } from '../store/store.ts';
import { Stored, WithHeaders } from '../store/stored.ts';
import type { BodyBudget } from './body.ts';
import { cachedResponses } from './cached-responses.ts';
import { allowedVersions, entityTag, isKnown, onlyVersions } from './conditional-requests.ts';
import { unavailable } from './http-error.ts';
import { idempotencyKeyOf, idempotentRequests, writtenOnce } from './idempotency.ts';
import type { Input } from './input.ts';
import { nextLink, type PageInfo } from './next-link.ts';
import type { RequestContext } from './request-context.ts';
import type { WriteResponse } from './response.ts';
import { type Content, contentOf, pageContent } from './response-content.ts';
import type { TargetCache } from './target-cache.ts';

/** Calls the handler of an operation and writes its result. Throws or rejects with any error. */
export type Dispatch = (call: Call) => void | Promise<void>;

/** A request for an operation, with its validated input. */
interface Call {
  request: IncomingMessage;
  response: ServerResponse;
  context: RequestContext;
  operation: Operation;
  input: Input;
}

interface Success extends Partial<Pick<Stored<unknown>, 'version' | 'state'>> {
  content: Content | undefined;
  page?: PageInfo | undefined;
  /** The headers that the handler sets. */
  headers?: WithHeaders<unknown>['headers'];
  /** Set if the operation has several success statuses. */
  status?: number;
  /** Whether an earlier request with the same idempotency key did the write. */
  isReplayed?: boolean | undefined;
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

  return (call) => {
    const { request, response, context, operation, input } = call;
    // Only a GET has a cached response. With If-None-Match, the response may be a 304 instead.
    if (request.headers['if-none-match'] === undefined && cached.send(response, context)) return;
    if (!SAFE_METHODS.has(operation.method) || operation.body) return dispatchWrite(call);
    return whenRead(callHandler(operation, input), (success) => succeed(call, success));
  };

  function succeed({ request, response, context, operation, input }: Call, success: Success): void | Promise<void> {
    const { content, version, page, state, isReplayed, status = operation.success ?? 200 } = success;
    // The response to a write gets no ETag, because a repetition returns the first result, which may be outdated.
    const isRead = /^(GET|HEAD)$/.test(operation.method);
    const tag = isRead && version !== undefined ? entityTag(version, page !== undefined) : undefined;
    const headers = tag === undefined ? [] : ['ETag', tag];
    if (isReplayed) headers.push('Idempotency-Replayed', 'true');
    // Node validates what `setHeader` gets. It makes `canBeWhole` false, so the response is not cached.
    for (const [name, value] of Object.entries(success.headers ?? {}))
      if (!response.hasHeader(name) && !headers.some((own) => own.toLowerCase() === name.toLowerCase()))
        response.setHeader(name, value);
    if (isRead && isKnown(request.headers['if-none-match'], tag)) {
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
    const begun = key === undefined ? undefined : inFlight.begin(operation, key, input);
    pendingWrites++;
    // The store uses the body until the handler returns, even if the client disconnects, so its memory counts until then.
    context.isBodyInUse = true;
    let success: Success;
    try {
      const idempotent = begun instanceof Promise ? await begun : begun;
      const versioned = versions ? onlyVersions(store, versions) : store;
      const view = idempotent ? writtenOnce(versioned, idempotent) : versioned;
      success = await (view === store ? callHandler : handlersOf(view))(operation, input);
      success.isReplayed = idempotent?.isReplayed;
    } finally {
      pendingWrites--;
      if (key !== undefined) inFlight.end(key);
      context.isBodyInUse = false;
      budget.release(context);
    }
    return succeed(call, success);
  }
}

/** Creates the function that calls the handler of an operation. */
function handlersOf(store: Store): (operation: Operation, input: Input) => Awaitable<Success> {
  // The cast is safe, because the validator accepts the input before a handler gets it.
  const byId = handlers(store) as unknown as Readonly<Record<string, (input: Input) => unknown>>;
  return (operation, input) => whenRead(byId[operation.id]?.(input), (result) => successOf(operation, input, result));
}

/** The success that the result of a handler stands for. */
function successOf(operation: Operation, input: Input, result: unknown): Success {
  if (result instanceof WithHeaders) return { ...successOf(operation, input, result.result), headers: result.headers };
  const { pagination, successes, responses } = operation;
  const described = responses[successes[0] ?? ''];
  if (result instanceof Stored) {
    const { version, page, state } = result;
    return { content: contentOf(described, result), version, page, state };
  }
  if (successes.length > 1) {
    const { status, data } = result as { status: number; data: unknown };
    return { content: contentOf(responseOf(operation, status), data), status };
  }
  const { key, limit: limitName = '' } = pagination ?? {};
  if (key === undefined || !Array.isArray(result)) return { content: contentOf(described, result) };
  const { content, count, last } = pageContent(result, key);
  // There may be a next page if this one has as many elements as requested, or reached the largest size.
  const more = count >= Number(input[limitName]) || content.bytes >= MAX_PAGE_BYTES;
  return { content, page: { more, last } };
}

/** Methods without effects on the store (RFC 9110 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
