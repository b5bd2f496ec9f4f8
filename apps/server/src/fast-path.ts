import { fail, type Serve, type Service, send } from './dispatch.ts';
import { read } from './read.ts';
import { isValid } from './validators.ts';

/**
 * Serves requests that are plainly valid, and passes all others to Express, which explains what is wrong with them. Without it,
 * Express gives the same answers.
 */
export function fastPath({ admit, dispatch, bodyLimit }: Service, explain: Serve): Serve {
  return async (exchange) => {
    const { operation } = exchange;
    if (!operation) return explain(exchange);
    try {
      await admit(exchange);
      const input = await read(exchange, operation, bodyLimit);
      if (!isValid(operation, input)) return explain(Object.assign(exchange, { input }));
      send(exchange, await dispatch(exchange, operation, input));
    } catch (error) {
      fail(exchange, error);
    }
  };
}
