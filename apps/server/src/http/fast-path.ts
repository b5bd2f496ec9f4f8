import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Operation, operations, type RequestBody, type Schema } from '@petstore/types';
import { callerOf } from './access.ts';
import { hasBody, isEncoded } from './body.ts';
import { bodySchemaOf, isAccepted } from './body-content.ts';
import { type Checked, inputOf } from './input.ts';
import { parseJson } from './json.ts';
import { type PlainParameters, plainParametersOf, readPlainParameters } from './parameters.ts';
import type { Parts } from './parts.ts';
import { type Input, passTo, type RequestContext } from './request-context.ts';
import { writtenCheck } from './written-checks.ts';

/** What the fast path needs to read a request of an operation. */
interface PlainOperation {
  readonly passes: (request: Checked) => boolean;
  readonly parameters: PlainParameters;
  readonly bodySchema: Schema | undefined;
}

/**
 * Answers plain requests without Express: those whose every part has the one obvious form, and which the validator's own
 * checks accept. It rejects no parameters and no content: any other request goes to the Express app, which decides.
 */
export function fastPath(parts: Parts, expressApp: RequestListener): RequestListener {
  const { keys, bodyLimit, targets, applyRateLimit, crossOrigin, acceptRequest, receiveBody, dispatch, fail } = parts;
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
    const { operation, target } = context;
    const plain = operation && plainOperations.get(operation);
    if (!plain || request.method !== operation.method) return false;
    const known = target.accepted?.operation === operation ? target.accepted.input : undefined;
    const parameters = known ? undefined : readPlainParameters(plain.parameters, request.url, context);
    if (!known && !parameters) return false;
    const caller = callerOf(request, context, keys);
    if (caller === undefined) return false;
    context.keyName = caller || undefined;
    if (applyRateLimit && applyRateLimit(response, context) > 0) return false;
    if (operation.body === undefined) {
      if (hasBody(request)) return false;
      const input = known ?? accepted(request, operation, plain, parameters);
      if (!input) return false;
      // What is right for one request is right for each: nothing else of a request is looked at.
      if (!known && operation.idempotencyKey === undefined)
        targets.remember(request.url ?? '', target, { operation, input });
      run(request, response, context, operation, input);
      return true;
    }
    if (!isPlainBody(request, operation.body, bodyLimit)) return false;
    receiveBody(request, context, (error, bytes) => {
      try {
        if (error) throw error;
        const body = parse(bytes, plain.bodySchema, context);
        const input = body === undefined ? undefined : accepted(request, operation, plain, parameters, body);
        if (input) {
          targets.remember(request.url ?? '', target);
          return run(request, response, context, operation, input);
        }
        context.body = bytes;
        passTo(expressApp, request, response, context);
      } catch (failure) {
        fail(failure, response, context);
      }
    });
    return true;
  }

  function run(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
    operation: Operation,
    input: Input,
  ): void {
    crossOrigin?.(request, response, () => {});
    dispatch(request, response, context, operation, input)?.catch((error) => fail(error, response, context));
  }
}

/** The input of an operation, where the validator's checks accept it. */
function accepted(
  { headers }: IncomingMessage,
  operation: Operation,
  { passes }: PlainOperation,
  { query, params }: Pick<Checked, 'query' | 'params'> = NO_PARAMETERS,
  body?: unknown,
): Input | undefined {
  const checked = { query, params, headers, cookies: NO_COOKIES, body };
  return passes(checked) ? inputOf(operation, checked, body) : undefined;
}

const NO_PARAMETERS = { query: {}, params: {} };
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
