import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Operation, operations } from '@petstore/types';
import { callerOf } from './access.ts';
import { hasBody, isEncoded, isJson } from './body.ts';
import { passTo } from './express-app.ts';
import { parseJson } from './json.ts';
import { hasPlainParameters, plainQuery } from './parameters.ts';
import type { Parts } from './parts.ts';
import type { RequestContext } from './request-context.ts';
import type { Checked } from './validator-internals.ts';

/**
 * Answers plain requests without Express: those whose every part is written in the one obvious way, and which the
 * validator's own checks accept. It refuses nothing: whatever it does not accept goes to the Express app, which decides.
 */
export function fastPath(parts: Parts, expressApp: RequestListener): RequestListener {
  const { keys, bodyLimit, applyRateLimit, crossOrigin, acceptRequest, receiveBody, dispatch, fail, validator } = parts;
  const plain = Object.values<Operation>(operations).filter(hasPlainParameters);
  const checks = new Map(plain.map((operation) => [operation, validator.checkOf(operation)]));

  return (request, response) => {
    const context = acceptRequest(request, response);
    if (!context) return;
    const slowly = () => passTo(expressApp, request, response, context);
    const { operation } = context;
    const check = operation && checks.get(operation);
    const query = check && plainQuery(operation, request.url, context);
    if (!query || request.method !== operation.method) return slowly();
    context.keyName = callerOf(request, keys);
    if (context.keyName === undefined) return slowly();
    if (applyRateLimit && applyRateLimit(response, context) > 0) return slowly();

    const accept = (body?: unknown): boolean => {
      const checked: Checked = { query, params: { ...context.pathParams }, headers: request.headers, body };
      if (!check(checked)) return false;
      crossOrigin?.(request, response, () => {});
      const input = { ...checked.params, ...checked.query, ...(body as object) };
      call(request, response, context, operation, input);
      return true;
    };

    if (operation.body === undefined) {
      if (hasBody(request) || !accept()) slowly();
    } else if (isPlainBody(request, operation.body.mediaType, bodyLimit)) {
      receiveBody(request, context, (error, bytes) => {
        if (error) return fail(error, response, context);
        const body = parse(bytes, context);
        if (body !== undefined && accept(body)) return;
        context.body = bytes;
        slowly();
      });
    } else {
      slowly();
    }
  };

  function call(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
  ): void {
    try {
      dispatch(request, response, context, operation, input)?.catch((error) => fail(error, response, context));
    } catch (error) {
      fail(error, response, context);
    }
  }
}

function isPlainBody(request: IncomingMessage, mediaType: string, limit: number): boolean {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  return (
    length > 0 &&
    length <= limit &&
    isJson(headers['content-type'], mediaType) &&
    !isEncoded(request) &&
    headers.expect === undefined
  );
}

/** The value of a body; nothing where it cannot be read. */
function parse(bytes: Uint8Array, context: RequestContext): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    context.bodyError = error;
    return undefined;
  }
}
