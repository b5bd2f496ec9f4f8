import type { IncomingMessage, ServerResponse } from 'node:http';
import type { admission } from './admission.ts';
import { hasBody, isJson, parseBody, receive } from './body.ts';
import type { Context } from './context.ts';
import type { Call, Dispatch } from './dispatch.ts';
import { type Parameters, readParameters } from './parameters.ts';
import { isValid, plainNumbers } from './validators.ts';

export interface FastPath {
  readonly admit: ReturnType<typeof admission>;
  readonly dispatch: Dispatch;
  readonly bodyLimit: number;
  /** Serves a request by Express, with the bytes of its body if they were read. */
  explain(request: IncomingMessage, response: ServerResponse, body?: Buffer): void;
  onError(error: unknown, response: ServerResponse, context: Context): void;
}

/** Creates a function that serves requests that are plainly valid, and passes all others to Express. */
export function fastPath({ admit, dispatch, bodyLimit, explain, onError }: FastPath) {
  return (request: IncomingMessage, response: ServerResponse, context: Context): void => {
    const { operation, params, query } = context;
    if (!operation || (operation.body && (!isJson(request) || !hasBody(request)))) return explain(request, response);
    let parameters: Parameters;
    try {
      admit(request, response, context);
      parameters = readParameters(operation, params, query, request.headers);
    } catch {
      // Express meets the same error, and reports it.
      return explain(request, response);
    }
    const serve = (body: unknown, bytes?: Buffer) => {
      const plain = body === undefined ? undefined : plainNumbers(body);
      if (!isValid(operation, { parameters: plainParameters(parameters), body: plain }))
        return explain(request, response, bytes);
      const call: Call = { operation, parameters, body };
      dispatch(call, request, response, context).catch((error: unknown) => onError(error, response, context));
    };
    if (!operation.body) return serve(undefined);
    receive(request, response, bodyLimit, (error, bytes) => {
      if (error) return onError(error, response, context);
      let body: unknown;
      try {
        body = parseBody(bytes);
      } catch {
        return explain(request, response, bytes);
      }
      serve(body, bytes);
    });
  };
}

function plainParameters({ query, path, header }: Parameters): Parameters {
  return plainNumbers({ query, path, header }) as Parameters;
}
