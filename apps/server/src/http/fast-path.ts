import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Operation, operations, type RequestBody, type Schema } from '@petstore/types';
import { callerOf } from './access.ts';
import { hasBody, isEncoded } from './body.ts';
import { bodySchemaOf, isAccepted } from './body-content.ts';
import { type Checked, inputOf } from './input.ts';
import { parseJson } from './json.ts';
import { type PlainParameters, plainParametersOf, readPlainParameters } from './parameters.ts';
import type { Parts } from './parts.ts';
import { passTo, type RequestContext } from './request-context.ts';
import { writtenCheck } from './written-checks.ts';

/** What the fast path needs to read a request of an operation. */
interface PlainOperation {
  readonly passes: (request: Checked) => boolean;
  readonly parameters: PlainParameters;
  readonly bodySchema: Schema | undefined;
}

/**
 * Answers plain requests without Express: those whose every part is written in the one obvious way, and which the
 * validator's own checks accept. It refuses nothing: whatever it does not accept goes to the Express app, which decides.
 */
export function fastPath(parts: Parts, expressApp: RequestListener): RequestListener {
  const { keys, bodyLimit, applyRateLimit, crossOrigin, acceptRequest, receiveBody, dispatch, fail } = parts;
  const plainOperations = new Map<Operation, PlainOperation>();
  for (const operation of Object.values<Operation>(operations)) {
    const [passes, parameters] = [writtenCheck(operation), plainParametersOf(operation)];
    const isPlain = operation.body === undefined || operation.body.kind === 'json';
    if (passes && parameters && isPlain)
      plainOperations.set(operation, { passes, parameters, bodySchema: bodySchemaOf(operation) });
  }

  return (request, response) => {
    const context = acceptRequest(request, response);
    if (!context) return;
    try {
      if (!answer(request, response, context)) passTo(expressApp, request, response, context);
    } catch (error) {
      // Outside of Express nobody else answers it, and the process would end.
      fail(error, response, context);
    }
  };

  /** Answers a plain request, now or when its body has come; false where it has to go to the Express app. */
  function answer(request: IncomingMessage, response: ServerResponse, context: RequestContext): boolean {
    const { operation } = context;
    const plain = operation && plainOperations.get(operation);
    const parameters = plain && readPlainParameters(plain.parameters, request.url, context);
    if (!parameters || request.method !== operation.method) return false;
    const caller = callerOf(request, context, keys);
    if (caller === undefined) return false;
    context.keyName = caller || undefined;
    if (applyRateLimit && applyRateLimit(response, context) > 0) return false;
    if (operation.body === undefined) {
      return !hasBody(request) && accept(request, response, context, operation, plain, parameters);
    }
    if (!isPlainBody(request, operation.body, bodyLimit)) return false;
    receiveBody(request, context, (error, bytes) => {
      try {
        if (error) throw error;
        const body = parse(bytes, plain.bodySchema, context);
        if (body !== undefined && accept(request, response, context, operation, plain, parameters, body)) return;
        context.body = bytes;
        passTo(expressApp, request, response, context);
      } catch (failure) {
        fail(failure, response, context);
      }
    });
    return true;
  }

  function accept(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
    operation: Operation,
    { passes }: PlainOperation,
    { query, params }: Pick<Checked, 'query' | 'params'>,
    body?: unknown,
  ): boolean {
    const checked = { query, params, headers: request.headers, cookies: NO_COOKIES, body };
    if (!passes(checked)) return false;
    crossOrigin?.(request, response, () => {});
    const input = inputOf(operation, checked, body);
    dispatch(request, response, context, operation, input)?.catch((error) => fail(error, response, context));
    return true;
  }
}

const NO_COOKIES = {};

function isPlainBody(request: IncomingMessage, body: RequestBody, limit: number): boolean {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  return (
    length > 0 &&
    length <= limit &&
    isAccepted(headers['content-type'], body) &&
    !isEncoded(request) &&
    headers.expect === undefined
  );
}

/** The value of a body; nothing where it cannot be read. */
function parse(bytes: Uint8Array, schema: Schema | undefined, context: RequestContext): unknown {
  try {
    return parseJson(bytes, schema);
  } catch (error) {
    context.bodyError = error;
    return undefined;
  }
}
