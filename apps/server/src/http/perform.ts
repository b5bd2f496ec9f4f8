import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '@petstore/types';
import { handlers, shortCuts } from '../handlers.ts';
import type { KeptAnimals, Store } from '../store/store.ts';
import { nextPage } from './announce.ts';
import type { Exchange } from './exchange.ts';
import { type Content, jsonOf, type WriteAnswer } from './write-answer.ts';

/** An input that was let through: every field by its name, as what the spec says it is. */
export type Input = Readonly<Record<string, unknown>>;

/** Does what is asked for, and answers it. What goes wrong is left to the caller. */
export type Perform = (
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  operation: Operation,
  input: Input,
) => void | Promise<void>;

type Handle = (input: Input) => Promise<unknown>;

export function performer(store: Store, write: WriteAnswer): Perform {
  const api = handlers(store) as unknown as Record<string, Handle>;
  const { kept } = store;
  const cuts = (kept ? shortCuts(kept) : {}) as Record<string, ((input: Input) => KeptAnimals | undefined) | undefined>;

  return (request, response, exchange, operation, input) => {
    const tag = kept && operation.method === 'GET' ? `W/"${kept.version()}"` : undefined;
    const succeed = (content: Content | undefined, page: Pick<KeptAnimals, 'count' | 'last'> | undefined) => {
      const headers = tag === undefined ? [] : ['ETag', tag];
      if (tag && isKnown(request.headers['if-none-match'], tag)) return write(response, exchange, 304, headers);
      if (page) headers.push(...nextPage(operation, input, page));
      write(response, exchange, operation.success, headers, content);
    };
    const short = cuts[operation.id]?.(input);
    if (short) return succeed({ text: short.text, encoding: 'latin1' }, short);
    const handle = api[operation.id] as Handle;
    return handle(input).then((result) =>
      succeed(result === undefined ? undefined : jsonOf(result), pageIn(operation, result)),
    );
  };
}

function pageIn({ pagination }: Operation, result: unknown) {
  if (!pagination || !Array.isArray(result)) return undefined;
  return { count: result.length, last: result.at(-1)?.[pagination.key] };
}

/** Whether the client has this version already (RFC 9110 13.1.2). */
function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => [tag, tag.slice(2), '*'].includes(one.trim()));
}
