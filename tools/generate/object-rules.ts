// The rules for one object of the document that the tables of `supported.ts` cannot express. Each
// has an example of what it refuses.
import { listOf, type Node, recordOf } from './document.ts';
import { kebabCase } from './names.ts';
import { ownHeaders } from './supported.ts';

/**
 * Refuses a construct: says what it is, and what to write instead. `key` names the property that is
 * meant.
 */
export type Refuse = (problem: string, fix: string, key?: string) => void;

/** The object that a value is, or refers to. */
export type Follow = (value: unknown) => Node;

type Rule = (object: Node, refuse: Refuse, follow: Follow) => void;

/** The rules by the type of object. */
export const objectRules: Readonly<Record<string, readonly Rule[]>> = {
  Root: [checkRoot],
  Operation: [checkSuccess, checkDeprecation],
  Responses: [checkEmptyResponses],
  MediaType: [checkMediaType],
  Parameter: [checkParameterName, checkSerialization, checkParameterSchema],
  Header: [checkHeader],
  Schema: [
    checkForm,
    checkTypes,
    checkConst,
    checkObjectKeywords,
    checkItems,
    checkAllOf,
    checkPropertyNames,
    checkPattern,
    checkNumbers,
  ],
};

const scalars = ['string', 'number', 'integer', 'boolean'];
const scalarFix = `use ${scalars.join(', ')}`;

function checkRoot({ paths, security }: Node, refuse: Refuse): void {
  // paths: {}
  if (Object.keys(recordOf(paths)).length === 0) refuse('a document without paths', 'describe one');
  // security: [{ bearer: [] }, { oauth: [] }]
  const [requirement, ...others] = listOf(security);
  if (others.length > 0 || Object.keys(recordOf(requirement)).length !== 1)
    refuse('a security other than one bearer key', 'write security: [{ bearer: [] }]', 'security');
}

function checkSuccess({ responses }: Node, refuse: Refuse): void {
  // responses: { "404": … }
  const statuses = Object.keys(recordOf(responses));
  if (!statuses.some((status) => /^2\d\d$/.test(status)))
    refuse('an operation without a success', 'declare a response such as "200"', 'responses');
}

function checkDeprecation(operation: Node, refuse: Refuse): void {
  // x-sunset: "2030-12-05", alone
  if (operation.deprecated === true) return;
  for (const key of ['x-deprecated-since', 'x-sunset', 'x-successor'])
    if (key in operation) refuse(`${key} without deprecated`, 'add deprecated: true', key);
}

function checkEmptyResponses(responses: Node, refuse: Refuse, follow: Follow): void {
  // "204": { content: … }
  for (const status of ['204', '205', '304'])
    if ('content' in follow(responses[status]))
      refuse(`a body of ${status}`, 'remove its content', status);
}

function checkMediaType({ schema }: Node, refuse: Refuse): void {
  // application/json: {}
  if (schema === undefined) refuse('JSON without a schema', 'declare its schema');
}

function checkParameterName(parameter: Node, refuse: Refuse): void {
  const { in: place, required } = parameter;
  const name = String(parameter.name);
  // in: header, name: Content-Length
  if (place === 'header' && (isOwnHeader(name) || !isHeaderName(name)))
    refuse(`the header parameter '${name}'`, 'remove it, or correct its name', 'name');
  // in: path, name: pet-id
  if (place === 'path' && !/^\w+$/.test(name))
    refuse(`the path parameter '${name}'`, 'use letters and digits', 'name');
  // in: path, required: false
  if (place === 'path' && required !== true)
    refuse('an optional path parameter', 'write required: true', 'name');
  // in: query, x-idempotency-key: true
  if ('x-idempotency-key' in parameter && place !== 'header')
    refuse(`x-idempotency-key in ${place}`, 'use a header', 'x-idempotency-key');
}

function checkSerialization({ in: place, style, explode }: Node, refuse: Refuse): void {
  const isInQuery = place === 'query';
  // style: pipeDelimited
  if (style !== undefined && style !== (isInQuery ? 'form' : 'simple'))
    refuse(`style ${style}`, 'leave it out', 'style');
  // in: query, explode: false
  if (explode !== undefined && explode !== isInQuery) {
    const fix = 'leave it out, and repeat the parameter for each value';
    refuse(`explode: ${explode}`, fix, 'explode');
  }
}

function checkParameterSchema(parameter: Node, refuse: Refuse, follow: Follow): void {
  // in: path, schema: { type: array, items: … }
  const { in: place } = parameter;
  const schema = follow(parameter.schema);
  if (isScalar(schema)) return;
  if (place !== 'query') refuse(`a ${place} parameter that is no scalar`, scalarFix, 'schema');
  else if (schema.type !== 'array' || !isScalar(follow(schema.items)))
    refuse('a query parameter that is no scalar', `${scalarFix}, or an array of them`, 'schema');
}

function checkHeader(header: Node, refuse: Refuse, follow: Follow): void {
  // Allow: { schema: { type: array, items: … } }
  if (!isScalar(follow(header.schema))) refuse('a header that is no scalar', scalarFix, 'schema');
}

function checkForm(schema: Node, refuse: Refuse): void {
  // type: string, oneOf: …
  const forms = ['type', 'oneOf', 'anyOf', 'allOf', 'const'].filter((key) => key in schema);
  if (forms.length === 1 || forms.join() === 'type,const') return;
  const found = forms.length === 0 ? 'no type' : forms.join(' and ');
  refuse(`a schema with ${found}`, 'write one of type, oneOf, anyOf, allOf', forms[1]);
}

function checkTypes({ type }: Node, refuse: Refuse): void {
  // type: [string, integer]
  const types = Array.isArray(type) ? type : [type];
  if (types.filter((name) => name !== 'null').length !== 1) {
    const fix = "write oneOf for several types; [string, 'null'] allows null";
    refuse(`type [${types}]`, fix, 'type');
  }
}

function checkConst(schema: Node, refuse: Refuse): void {
  // const: null
  if (!('const' in schema)) return;
  const isObject = typeof schema.const === 'object';
  if (isObject || typesOf(schema).includes('null') || schema.enum !== undefined)
    refuse('this const', 'write a scalar, without enum and null', 'const');
}

function checkObjectKeywords(schema: Node, refuse: Refuse): void {
  // type: string, required: [name]
  if (typesOf(schema).includes('object')) return;
  for (const key of ['properties', 'required', 'additionalProperties'])
    if (key in schema) refuse(`${key} without type: object`, 'add the type', key);
}

function checkItems(schema: Node, refuse: Refuse): void {
  // type: array, alone
  if ('items' in schema !== typesOf(schema).includes('array'))
    refuse('items without type: array, or an array without items', 'write both');
}

function checkAllOf({ allOf }: Node, refuse: Refuse, follow: Follow): void {
  const parts = listOf(allOf).map(follow);
  // allOf: two objects with the property name
  const names = parts.flatMap((part) => Object.keys(recordOf(part.properties)));
  if (hasRepeated(names))
    refuse('allOf of objects that share a property', 'declare it in one of them', 'allOf');
  // allOf: [{ type: integer }]
  if (parts.some((part) => !('allOf' in part) && part.type !== 'object'))
    refuse('allOf of something else than objects', 'write one schema', 'allOf');
}

function checkPropertyNames({ properties }: Node, refuse: Refuse): void {
  // properties: { petId: …, pet_id: … }, which are both --pet-id
  if (hasRepeated(Object.keys(recordOf(properties)).map(kebabCase)))
    refuse('two properties with the same words', 'rename one of them', 'properties');
}

function checkPattern({ pattern }: Node, refuse: Refuse): void {
  // pattern: "["
  if (pattern !== undefined && !isPattern(String(pattern))) {
    const fix = 'write a regular expression that compiles with the flag u';
    refuse(`the pattern ${pattern}`, fix, 'pattern');
  }
}

function checkNumbers(schema: Node, refuse: Refuse): void {
  // maximum: 9223372036854775807, which the parser of YAML has already rounded
  for (const [key, value] of Object.entries(schema)) {
    const values = Array.isArray(value) ? value : [value];
    if (values.some(isRounded)) {
      const fix = 'leave it out: int64 has its own bounds';
      refuse(`a number beyond ±(2^53−1) in ${key}`, fix, key);
    }
  }
}

function isScalar({ type, const: only }: Node): boolean {
  if (type !== undefined) return scalars.includes(String(type));
  return only !== undefined && typeof only !== 'object';
}

function isOwnHeader(name: string): boolean {
  return /^content-\w+$/i.test(name) || ownHeaders.includes(name.toLowerCase());
}

/** `X-Request-Id`: a token of RFC 9110. */
function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

function typesOf({ type }: Node): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function hasRepeated(names: readonly string[]): boolean {
  return new Set(names).size < names.length;
}

function isRounded(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    // It does not compile.
    return false;
  }
}
