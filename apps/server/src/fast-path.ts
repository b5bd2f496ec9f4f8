import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Service } from './dispatch.ts';
import { read } from './read.ts';
import type { Context, Target } from './request.ts';
import { isValid } from './validators.ts';

/** Longer answers are not kept. Targets are bounded in number, so this bounds the memory of all. */
const MAX_KEPT = 2 ** 14;

type Serve = (request: IncomingMessage, response: ServerResponse, context: Context) => void;

/**
 * Serves requests that are plainly valid, and passes all others to Express, which explains what is wrong with them. Without it,
 * Express gives the same answers.
 */
export function fastPath({ admit, dispatch, send, fail, version, bodyLimit }: Service, explain: Serve): Serve {
  /** The last answers to requests that change nothing, which hold until the next write. */
  const kept = new WeakMap<Target, { readonly version: number; readonly answer: Answer }>();
  return (request, response, context) => {
    const { target } = context;
    const { operation } = target;
    if (!operation) return explain(request, response, context);
    const isRead = request.method === 'GET';
    admit(request, response, context, (error) => {
      if (error) return fail(error, response, context);
      // Without versions, as in a database that others change, it is NaN, which equals nothing.
      const before = version();
      const known = isRead ? kept.get(target) : undefined;
      if (known?.version === before) return send(known.answer, request, response, context);
      read(request, response, operation, target, bodyLimit, (error, call) => {
        if (!call) return fail(error, response, context);
        context.call = call;
        if (!isValid(call)) return explain(request, response, context);
        dispatch(call, request, context).then(
          (answer) => {
            if (isRead && (answer.json?.length ?? 0) <= MAX_KEPT) kept.set(target, { version: before, answer });
            send(answer, request, response, context);
          },
          (error: unknown) => fail(error, response, context),
        );
      });
    });
  };
}
