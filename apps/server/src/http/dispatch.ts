import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '@petstore/types';
import { handlers, shortCuts } from '../handlers.ts';
import type { KeptAnimals, Store } from '../store/store.ts';
import type { BodyBudget } from './body.ts';
import { unavailable } from './http-error.ts';
import type { RequestContext } from './request-context.ts';
import { type Content, jsonContent, nextPage, type PageInfo, pageContent, type WriteResponse } from './response.ts';

/** A validated input: every field by its name, with the type that the spec says. */
export type Input = Readonly<Record<string, unknown>>;

/** Calls the handler of an operation and writes its result. Errors are left to the caller. */
export type Dispatch = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
  operation: Operation,
  input: Input,
) => void | Promise<void>;

type Handler = (input: Input) => Promise<unknown>;

export function dispatcher(store: Store, write: WriteResponse, budget: BodyBudget, maxPendingWrites: number): Dispatch {
  const api = handlers(store) as unknown as Record<string, Handler>;
  const { kept } = store;
  const cuts = (kept ? shortCuts(kept) : {}) as Record<string, ((input: Input) => KeptAnimals | undefined) | undefined>;
  let pendingWrites = 0;

  return (request, response, context, operation, input) => {
    const tag = kept && operation.method === 'GET' ? `W/"${kept.version()}"` : undefined;
    const succeed = (content: Content | undefined, page: PageInfo | undefined) => {
      const headers = tag === undefined ? [] : ['ETag', tag];
      if (tag && isKnown(request.headers['if-none-match'], tag)) return write(response, context, 304, headers);
      if (page && content) headers.push(...nextPage(operation, input, page, content.bytes));
      write(response, context, operation.success, headers, content);
    };
    const cut = cuts[operation.id]?.(input);
    if (cut) return succeed({ text: cut.text, encoding: 'latin1', bytes: cut.text.length }, cut);

    const isWrite = operation.method !== 'GET';
    if (isWrite && pendingWrites >= maxPendingWrites) {
      throw unavailable('Too many writes are waiting for the store. Nothing was done; try again later.');
    }
    if (isWrite) pendingWrites++;
    // The store holds what came in the body until then, also when the client is gone.
    context.isPending = true;
    const settled = () => {
      if (isWrite) pendingWrites--;
      context.isPending = false;
      budget.release(context);
    };
    const handler = api[operation.id] as Handler;
    return handler(input)
      .finally(settled)
      .then((result) => {
        const { pagination } = operation;
        if (result === undefined) return succeed(undefined, undefined);
        if (!pagination || !Array.isArray(result)) return succeed(jsonContent(result), undefined);
        const { content, page } = pageContent(result, pagination.key);
        succeed(content, page);
      });
  };
}

/** Whether the client has this version already (RFC 9110 13.1.2). */
function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => [tag, tag.slice(2), '*'].includes(one.trim()));
}
