import { type Answer, fail, type Serve, type Service, send } from './dispatch.ts';
import { read } from './read.ts';
import type { Target } from './request.ts';
import { isValid } from './validators.ts';

/** Longer answers are not kept. Targets are bounded in number, so this bounds the memory of all. */
const MAX_KEPT = 2 ** 14;

/**
 * Serves requests that are plainly valid, and passes all others to Express, which explains what is wrong with them. Without it,
 * Express gives the same answers.
 */
export function fastPath({ admit, dispatch, version, bodyLimit }: Service, explain: Serve): Serve {
  /** The last answers to requests that change nothing, which hold until the next write. */
  const kept = new WeakMap<Target, { readonly version: number; readonly answer: Answer }>();
  return async (exchange) => {
    const { operation, target, method } = exchange;
    if (!operation) return explain(exchange);
    try {
      await admit(exchange);
      // Without versions, as in a database that others change, it is NaN, which equals nothing.
      const before = version();
      const known = method === 'GET' ? kept.get(target) : undefined;
      if (known?.version === before) return send(exchange, known.answer);
      const input = await read(exchange, operation, bodyLimit);
      if (!isValid(operation, input)) return explain(Object.assign(exchange, { input }));
      const answer = await dispatch(exchange, operation, input);
      const isSmall = (answer.body?.length ?? 0) <= MAX_KEPT;
      // A target does not tell the headers.
      const isByTarget = Object.values(operation.fields).every((field) => field.in !== 'header');
      if (method === 'GET' && answer.isLasting && isSmall && isByTarget)
        kept.set(target, { version: before, answer });
      send(exchange, answer);
    } catch (error) {
      fail(exchange, error);
    }
  };
}
