// Accepts requests, and checks responses, by validators that ajv compiles from the operations of the spec.
import { type Operation, operations, type Schema } from '@petstore/types';
import type { ValidateFunction } from 'ajv';
import type { Input } from './input.ts';
import { toJsonNumbers } from './json-numbers.ts';
import { createAjv } from './json-schema.ts';
import type { Violation } from './violations.ts';

const ajv = createAjv();

const validators = new Map<Operation, ValidateFunction>();

/** Compiles the validators of all operations. Otherwise the first request of each operation waits for its own. */
export function compileValidators(): void {
  for (const operation of Object.values<Operation>(operations)) validatorOf(operation);
}

/** Whether the content of a request is what the spec describes. */
export function accepts(operation: Operation, input: Input): boolean {
  const validate = validatorOf(operation);
  const { query, path, header, plainBody: body } = input;
  if (validate({ query, path, header, body })) return true;
  // A bigint in a parameter is of no type that the validator knows.
  return validate(toJsonNumbers({ query, path, header, body }));
}

/** The first violation of a request that is not accepted. */
export function firstViolation(operation: Operation, input: Input): Violation | undefined {
  if (accepts(operation, input)) return undefined;
  const [error] = validatorOf(operation).errors ?? [];
  if (!error) return undefined;
  const { instancePath, keyword, message = 'it breaks the spec', params } = error;
  const name: unknown = params.missingProperty ?? params.additionalProperty;
  const path = typeof name === 'string' ? `${instancePath}/${escaped(name)}` : instancePath;
  return { path, keyword, message };
}

/** Throws unless the spec declares such a response. */
export function checkResponse(operation: Operation, status: number, body: unknown): void {
  const { id, responses } = operation;
  const response = responses[status] ?? responses.default;
  if (!response) throw new Error(`${id} does not declare the status ${status}.`);
  if (response.schema === undefined && body !== undefined)
    throw new Error(`The response ${status} of ${id} has a body, which the spec does not declare.`);
  if (response.schema && !ajv.validate(response.schema, toJsonNumbers(body)))
    throw new Error(`The response ${status} of ${id} breaks the spec: ${ajv.errorsText()}`);
}

function validatorOf(operation: Operation): ValidateFunction {
  const known = validators.get(operation);
  if (known) return known;
  const validate = ajv.compile(requestSchema(operation));
  validators.set(operation, validate);
  return validate;
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
