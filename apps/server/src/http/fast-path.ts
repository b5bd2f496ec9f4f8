import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { openApiDocument } from '../document.ts';
import { type Operation, operations, type RequestBody, type Schema } from '../old.ts';
import { callerOf } from './authentication.ts';
import { type BodyBudget, hasBody, isEncoded } from './body.ts';
import { bodySchemaOf, isAccepted } from './body-content.ts';
import type { Dispatch } from './dispatch.ts';
import { type Input, inputOf, type ParameterValues, type RequestValues } from './input.ts';
import { parseJson } from './json.ts';
import { parseParameters } from './parameters.ts';
import { passTo, type RequestContext } from './request-context.ts';
import type { RequestPipeline } from './request-pipeline.ts';
import type { Target } from './target-cache.ts';
import { generateChecks } from './validation/checks-generator.ts';
import { keywordChecks, nameOf } from './validation/keywords.ts';

/** An operation whose requests the fast path can check. */
interface PlainOperation {
  readonly passes: (request: RequestValues) => boolean;
  readonly bodySchema: Schema | undefined;
  /** Whether the input depends on the target of a request alone. */
  readonly isCacheable: boolean;
}

/**
 * Serves plain requests without Express. A request is plain if its body is JSON, or it has none, and if it passes the validator's
 * checks. Every other request goes on to the Express app, so only the Express app rejects invalid parameters and bodies.
 */
export function fastPath(pipeline: RequestPipeline, expressApp: RequestListener): RequestListener {
  const { keys, bodyLimit, targetCache, applyRateLimit, crossOrigin } = pipeline;
  const { acceptRequest, bodyBudget, receiveBody, dispatch, respondWithError } = pipeline;
  const plainOperations = new Map<Operation, PlainOperation>();
  for (const operation of Object.values<Operation>(operations)) {
    const { method, body, fields, idempotencyKey } = operation;
    const passes = generatedCheck(operation);
    const isInTarget = Object.values(fields).every((field) => field.in === 'path' || field.in === 'query');
    const isCacheable = method === 'GET' && isInTarget && idempotencyKey === undefined;
    if (passes && (body === undefined || body.kind === 'json'))
      plainOperations.set(operation, { passes, bodySchema: bodySchemaOf(operation), isCacheable });
  }

  const run: Dispatch = (call) =>
    dispatch(call)?.catch((error) => respondWithError(error, call.response, call.context));

  return (request, response) => {
    const context = acceptRequest(request, response);
    if (!context) return;
    try {
      if (!serve(request, response, context)) passTo(expressApp, request, response, context);
    } catch (error) {
      // Express is not involved, so an uncaught error would end the process.
      respondWithError(error, response, context);
    }
  };

  /** Serves a plain request, else returns false. After true, a request whose body turns out invalid still goes on to the Express app. */
  function serve(request: IncomingMessage, response: ServerResponse, context: RequestContext): boolean {
    const { operation, target } = context;
    const plain = operation && plainOperations.get(operation);
    if (!plain || request.method !== operation.method) return false;
    crossOrigin?.(request, response, () => {});
    const caller = callerOf(request, context, keys);
    if (caller === undefined) return false;
    context.keyName = caller || undefined;
    const cachedInput = plain.isCacheable ? target.input : undefined;
    const parameters = cachedInput ? NO_PARAMETERS : wellFormedParameters(request, operation, target);
    if (!parameters) return false;
    if (applyRateLimit && applyRateLimit(response, context) > 0) return false;
    if (operation.body === undefined) {
      if (hasBody(request)) return false;
      const input = cachedInput ?? validInput(operation, plain, parameters);
      if (!input) return false;
      if (!cachedInput && plain.isCacheable) targetCache.add(request.url ?? '', target, input);
      run({ request, response, context, operation, input });
      return true;
    }
    if (!isPlainBody(request, operation.body, bodyLimit)) return false;
    receiveBody(request, context, (error, bytes) => {
      try {
        if (error) throw error;
        const body = parse(bytes, plain.bodySchema, context, bodyBudget);
        const input = body === undefined ? undefined : validInput(operation, plain, parameters, body);
        if (input) {
          targetCache.add(request.url ?? '', target);
          return void run({ request, response, context, operation, input });
        }
        context.body = bytes;
        passTo(expressApp, request, response, context);
      } catch (failure) {
        respondWithError(failure, response, context);
      }
    });
    return true;
  }
}

/**
 * The check that the validator compiled for the requests of an operation; undefined if its code cannot be generated. It is
 * part of the generated code, because loading the validator would double the startup time.
 */
export function generatedCheck(operation: Operation): ((request: RequestValues) => boolean) | undefined {
  const name = nameOf(operation);
  const [parameters, body] = [generated.parameters[name], generated.bodies[name]];
  return parameters && body && ((request) => parameters(request) && (request.body === undefined || body(request)));
}

type Checks = Readonly<Record<string, (request: RequestValues) => boolean>>;

const [parameterCode, bodyCode] = generateChecks(
  openApiDocument as Parameters<typeof generateChecks>[0],
  Object.values<Operation>(operations),
);
const generated = { parameters: evaluated(parameterCode), bodies: evaluated(bodyCode) };

function evaluated(code: string): Checks {
  const checks: Checks = {};
  new Function('exports', 'require', 'keywords', 'self', code)(checks, requireOfValidator, keywordChecks);
  return checks;
}

/** Loads the modules of the validator's libraries that the checks use. */
function requireOfValidator(name: string): unknown {
  const require = createRequire(import.meta.url);
  return createRequire(require.resolve('express-openapi-validator'))(name);
}

/** The parameters of a request; undefined if they are malformed. The Express app then parses them again, and rejects them. */
function wellFormedParameters({ headers }: IncomingMessage, operation: Operation, target: Target) {
  try {
    return parseParameters(operation, target, headers);
  } catch {
    return undefined;
  }
}

/** The input of an operation; undefined if the validator's checks reject the request. */
function validInput(
  operation: Operation,
  { passes }: PlainOperation,
  { query, params, headers, cookies }: ParameterValues,
  body?: unknown,
): Input | undefined {
  const checked = { query, params, headers, cookies, body };
  return passes(checked) ? inputOf(operation, checked, body) : undefined;
}

const NO_PARAMETERS: ParameterValues = { query: {}, params: {}, headers: {}, cookies: {} };

function isPlainBody(request: IncomingMessage, body: RequestBody, limit: number): boolean {
  const { headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  const isWithinLimit = length > 0 && length <= limit;
  return isWithinLimit && isAccepted(headers['content-type'], body) && !isEncoded(request) && !headers.expect;
}

/** Parses a body; undefined if that fails. The Express app then throws `context.bodyError`. */
function parse(
  bytes: Uint8Array,
  schema: Schema | undefined,
  context: RequestContext,
  { holdValues }: BodyBudget,
): unknown {
  try {
    return parseJson(bytes, schema, 'body', (valueBytes) => holdValues(context, bytes.length, valueBytes));
  } catch (error) {
    context.bodyError = error;
    return undefined;
  }
}
