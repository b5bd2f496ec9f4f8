// Accepts requests, and checks responses, by validators that ajv compiles from the operations of the spec.
// The middleware of `explainer.ts` explains what they do not accept.
import { type Operation, operations, type Schema } from '@petstore/types';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Request, RequestHandler } from 'express';
import { exchangeOf, type Head } from './exchange.ts';
import { explain, type Violation, violationError, watch } from './explainer.ts';
import { createAjv, toJsonNumbers } from './json-schema.ts';
import { headersDeclaredFor } from './spec.ts';
import type { Input } from './target.ts';

/** Of the violations of a larger body only the first is named, because naming each of many takes long. */
const MAX_EXPLAINED_BYTES = 1000;

/** Lets requests pass that are what the spec describes. */
export const validate: RequestHandler = (request, response, next) => {
  const exchange = exchangeOf(response);
  const { routedOperation: operation, parsedInput: input } = exchange;
  const violation = input.isAccepted ? undefined : firstViolation(operation, input);
  if (!violation) {
    input.isAccepted = true;
    return exchange.shared.validateResponses ? watch(exchange, next) : next();
  }
  const error = violationError([violation], input.body);
  if (isLarge(request)) throw error;
  // If the middleware finds nothing, or could not be loaded, the violation that ajv has found remains.
  return explain(exchange, (found) => next(found ?? error)).catch(() => next(error));
};

function isLarge({ headers }: Request): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined;
  return isChunked || Number(headers['content-length'] ?? 0) > MAX_EXPLAINED_BYTES;
}

const ajv = createAjv();

/** What ajv finds first in a request; undefined if the request is what the spec describes. */
function firstViolation(operation: Operation, input: Input): Violation | undefined {
  const accepts = validators.get(operation);
  if (!accepts) throw new Error('The operation is not one of the spec.');
  const content = {
    query: toJsonNumbers(input.query),
    path: toJsonNumbers(input.path),
    header: toJsonNumbers(input.header),
    body: toJsonNumbers(input.body),
  };
  if (accepts(content)) return undefined;
  return violationOf(accepts.errors?.[0]);
}

function violationOf(error: ErrorObject | undefined): Violation {
  if (!error) throw new Error('ajv has rejected a request without an error.');
  const { instancePath, keyword, message = 'it breaks the spec', params } = error;
  const name: unknown = params.missingProperty ?? params.additionalProperty;
  const path = typeof name === 'string' ? `${instancePath}/${escaped(name)}` : instancePath;
  return { path, keyword, message };
}

/** Every response can have these headers: by HTTP itself, or as the spec says in prose. */
const undeclaredHeaders = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'x-content-type-options',
  'x-request-id',
]);

/** Throws unless the spec declares the headers of a response, given as names and values in turn. */
export function checkHeaders(operation: Operation, { status, headers }: Head): void {
  const declared = headersDeclaredFor(operation, status);
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]?.toLowerCase() ?? '';
    if (!declared.has(name) && !undeclaredHeaders.has(name))
      throw new Error(
        `The response ${status} of ${operation.id} has the undeclared header ${name}.`,
      );
  }
}

/** Throws unless the spec declares a response with this status and this body, in which no number is a bigint. */
export function checkBody(operation: Operation, status: number, body: unknown): void {
  const { id, responses } = operation;
  const response = responses[status] ?? responses.default;
  if (!response) throw new Error(`${id} does not declare the status ${status}.`);
  if (response.schema === undefined && body !== undefined)
    throw new Error(`The response ${status} of ${id} has a body, which the spec does not declare.`);
  if (response.schema && !ajv.validate(response.schema, body))
    throw new Error(`The response ${status} of ${id} breaks the spec: ${ajv.errorsText()}`);
}

/** A name as a part of a JSON pointer (RFC 6901). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function requestSchema(operation: Operation): Schema {
  const { fields, body } = operation;
  const properties: Record<string, Schema> = {
    query: objectSchema(operation, 'query'),
    path: objectSchema(operation, 'path'),
    header: objectSchema(operation, 'header'),
  };
  const bodySchema = body?.whole ? fields.body?.schema : objectSchema(operation, 'body');
  if (body && bodySchema) properties.body = bodySchema;
  return { type: 'object', properties };
}

/** The inputs in one place as an object. */
function objectSchema({ fields }: Operation, place: string): Schema {
  const own = Object.entries(fields).filter(([, field]) => field.in === place);
  return {
    type: 'object',
    additionalProperties: false,
    required: own.filter(([, { required }]) => required).map(([name]) => name),
    properties: Object.fromEntries(own.map(([name, { schema }]) => [name, schema])),
  };
}

/** Compiled once, before the first request. */
const validators = new Map<Operation, ValidateFunction>();
for (const operation of Object.values<Operation>(operations))
  validators.set(operation, ajv.compile(requestSchema(operation)));
