import { type Operation, operations, type Schema, schemas } from '@petstore/types';
// The path that ajv documents for JSON Schema 2020-12.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { invalid } from './errors.ts';
import type { Input } from './request.ts';

/** What integers can be. JSON Schema knows no bigints: the highest double of 64 bits stands for those above it. */
export const ranges: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63 - 1024],
};
const MAX_DEPTH = 64;

// Types are strict: nothing is coerced. Annotations of OpenAPI are no keywords of JSON Schema.
const ajv = new Ajv2020({ strict: false, strictNumbers: true });
for (const [format, [low, high]] of Object.entries(ranges))
  ajv.addFormat(format, {
    type: 'number',
    validate: (value: number) => value >= low && value <= high,
  });
for (const [name, schema] of Object.entries<Schema>(schemas))
  ajv.addSchema(schema, `#/components/schemas/${name}`);

const requests = new Map(
  Object.values<Operation>(operations).map((operation) => [
    operation,
    ajv.compile(requestSchema(operation)),
  ]),
);

export function isValid(
  operation: Operation,
  { query, path, header, plainBody: body }: Input,
): boolean {
  const validate = requests.get(operation);
  const values = { query, path, header, body };
  // A bigint in a parameter is of no type that the validator knows.
  return validate?.(values) === true || validate?.(plain(values)) === true;
}

/** Throws unless the spec declares such a response. */
export function checkResponse({ id, responses }: Operation, status: number, body: unknown): void {
  const response = responses[status] ?? responses.default;
  if (!response) throw new Error(`${id} does not declare the status ${status}.`);
  const isDeclared = !response.schema || ajv.validate(response.schema, plain(body));
  if (!isDeclared)
    throw new Error(`The response ${status} of ${id} breaks the spec: ${ajv.errorsText()}`);
}

const placeOf = (name?: string) => (name === undefined ? 'body' : `body '${name}'`);

/** A JSON value with numbers instead of bigints; the same one if it has none. Throws for deep nesting and for malformed Unicode. */
export function plain(value: unknown, name?: string, depth = 0): unknown {
  if (typeof value === 'bigint') return Math.min(Number(value), ranges.int64?.[1] ?? 0);
  if (typeof value === 'string' && !value.isWellFormed())
    throw invalid(`${placeOf(name)}: it is not well-formed Unicode`);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw invalid(`body: it is nested more than ${MAX_DEPTH} deep`);
  const isArray = Array.isArray(value);
  let copy: Record<string, unknown> | undefined;
  for (const [member, each] of Object.entries(value)) {
    if (!isArray && !member.isWellFormed())
      throw invalid(`${placeOf(name)}: a name is not well-formed Unicode`);
    const other = plain(each, isArray ? name : member, depth + 1);
    if (other === each) continue;
    copy ??= (isArray ? [...value] : { ...value }) as Record<string, unknown>;
    copy[member] = other;
  }
  return copy ?? value;
}

function requestSchema({ fields, body }: Operation): Schema {
  const objectOf = (place: string): Schema => {
    const own = Object.entries(fields).filter(([, field]) => field.in === place);
    return {
      type: 'object',
      additionalProperties: false,
      required: own.filter(([, { required }]) => required).map(([name]) => name),
      properties: Object.fromEntries(own.map(([name, { schema }]) => [name, schema])),
    };
  };
  const places = { query: objectOf('query'), path: objectOf('path'), header: objectOf('header') };
  const bodySchema = body && (body.whole ? fields.body?.schema : objectOf('body'));
  return { type: 'object', properties: { ...places, ...(bodySchema && { body: bodySchema }) } };
}
