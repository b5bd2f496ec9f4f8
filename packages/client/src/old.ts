// What the code of this part still uses of the former types package. It goes with that code.
export * from '@petstore/types';

import { schemas } from '@petstore/types';

/** 10^22 is the highest power of ten that a double holds exactly. The bound also limits the size of the bigint below. */
const MAX_EXACT_EXPONENT = 22;
/** A sign and 19 digits. */
const MAX_INT64_LENGTH = 20;

/**
 * Whether a number can be parsed without loss: the double equals it, or the shortest text of the double, which `JSON.stringify`
 * writes, is the same number, as for `0.10` and `1e308`.
 */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const shortest = String(value);
  if (shortest === source) return true;
  const { digits, exponent } = scientific(source);
  const rounded = scientific(shortest);
  if (digits === rounded.digits && exponent === rounded.exponent) return true;
  if (!Number.isInteger(value) || exponent < 0 || exponent > MAX_EXACT_EXPONENT) return false;
  return BigInt(digits + '0'.repeat(exponent)) === BigInt(value);
}

/** Parses a JSON number as a 64-bit integer, such as `1e3`; undefined if it is not one. */
export function int64Of(source: string): bigint | undefined {
  const { digits, exponent } = scientific(source);
  if (exponent < 0 || digits.length + exponent > MAX_INT64_LENGTH) return undefined;
  const value = BigInt(digits + '0'.repeat(exponent));
  return isInt64(value) ? value : undefined;
}

/** Whether an integer fits into 64 bits. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** Parses the text of an integer, a number or a boolean; undefined if the text is no value of this type. */
export function parseScalar(text: string, type: string): number | bigint | boolean | undefined {
  if (type === 'integer' && /^(0|-?[1-9]\d*)$/.test(text))
    return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  if (type === 'number' && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : undefined;
}

/** The normalized form of a decimal number: its significant digits and a power of ten. */
function scientific(source: string): { digits: string; exponent: number } {
  const sign = source.startsWith('-') ? '-' : '';
  const [mantissa = '', exponent = 0] = source.slice(sign.length).split(/e/i);
  const [integer = '', fraction = ''] = mantissa.split('.');
  const digits = integer + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  if (start === digits.length) return { digits: '0', exponent: 0 };
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const power = Number(exponent) - fraction.length + digits.length - end;
  return { digits: sign + digits.slice(start, end), exponent: power };
}

/** Parses JSON. An integer of 2^53 or more becomes a bigint, if it is written as digits only. */
export function parseExact(text: string): unknown {
  // Such an integer has at least 16 digits. Other texts skip the reviver, because it is slow.
  return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

function exactInteger(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  if (source === undefined) throw new Error('This runtime rounds integers: its JSON.parse passes no source text.');
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** JSON in which a bigint is an integer with all its digits. */
export function exactJson(value: unknown, indent?: number): string {
  // Without a replacer, `JSON.stringify` is faster, but rejects bigints, unless the program defines how they are written.
  if (!('toJSON' in BigInt.prototype)) {
    try {
      return JSON.stringify(value, undefined, indent);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return JSON.stringify(value, exactReplacer, indent);
}

/** A replacer for `JSON.stringify` that writes a bigint as an integer with all its digits. */
export function exactReplacer(this: unknown, key: string, value: unknown): unknown {
  // `value` may already be the result of a `BigInt.prototype.toJSON`, which many programs define.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (typeof original !== 'bigint') return value;
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(original));
}

/** The first key of valid JSON that repeats in its object. `JSON.parse` drops all its values but the last. */
export function repeatedKey(json: string): string | undefined {
  const keysOfOpenObjects: Set<string>[] = [];
  let string = '';
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const start = at++;
      while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
      string = json.slice(start, at + 1);
    } else if (character === '{') {
      keysOfOpenObjects.push(new Set());
    } else if (character === '}') {
      keysOfOpenObjects.pop();
    } else if (character === ':') {
      const key: string = JSON.parse(string);
      const keys = keysOfOpenObjects.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

/** The first number of valid JSON that `JSON.parse` rounds to a number below 2^53. Larger ones show in the parsed value. */
export function roundedNumber(json: string): string | undefined {
  // Such a number has at least 16 digits, or an exponent.
  if (!/\d[\d.]{15}|\d[eE]/.test(json)) return undefined;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') {
      at++;
      while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
    } else if (isPartOfNumber(json[at])) {
      const start = at;
      while (isPartOfNumber(json[at + 1])) at++;
      const number = json.slice(start, at + 1);
      if (isRounded(number)) return number;
    }
  }
  return undefined;
}

/** Whether a double rounds a number to one below 2^53. */
export function isRounded(number: string): boolean {
  return Math.abs(Number(number)) < 2 ** 53 && !isExactNumber(number);
}

const isPartOfNumber = (character = ' ') => '0123456789+-.eE'.includes(character);
/** A type of JSON value, as in JSON Schema. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/**
 * JSON Schema 2020-12 as plain data. References are resolved, except those to a schema that contains itself: `resolved` looks
 * them up in `schemas`.
 */
export interface Schema {
  readonly $ref?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly unevaluatedProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
}

/** The serialization of a value in a path, a query, a header or a form. */
export interface Serialization {
  readonly style?: 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  readonly explode?: boolean;
  readonly allowReserved?: true;
  /** The value is written as this media type. */
  readonly contentType?: string;
}

/** The encoding of one property of a form. */
export interface PropertyEncoding extends Serialization {
  /** The headers of its part that have a fixed value. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One input of an operation: a parameter, a property of the body, or the whole body. Default serializations are left out. */
export interface Field extends Serialization {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  readonly required: boolean;
  readonly description: string;
  readonly deprecated?: true;
  readonly schema: Schema;
}

/** The kind of a body. `multipart` is a form of parts, which can be files. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes';

/** The body of a request. */
export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: string;
  readonly kind: BodyKind;
  /** Whether the body is one input, `body`; otherwise each property is an input. */
  readonly whole?: true;
  /** Whether the body may have properties that are not inputs. */
  readonly additional?: true;
  /** The encodings of a form that are not the default. */
  readonly encoding?: Readonly<Record<string, PropertyEncoding>>;
}

/** A declared response. Without `kind` it has no body. */
export interface OperationResponse {
  readonly description: string;
  readonly kind?: 'json' | 'text' | 'bytes';
  readonly mediaType?: string;
  readonly schema?: Schema;
}

/** How to request the next page: by the `Link` header, by a cursor in the body, or by a cursor in the last element. */
export interface Pagination {
  readonly by: 'link' | 'body' | 'last';
  /** The input that takes the cursor. */
  readonly cursor?: string;
  /** The input that sets the size of a page. */
  readonly limit?: string;
  /** The property of the last element that is the cursor. */
  readonly key?: string;
  /** The property of the body with the cursor of the next page. */
  readonly next?: string;
  /** The property of the body that tells whether there are more pages. */
  readonly more?: string;
  /** The property of the body with the elements. Default: the body itself. */
  readonly items?: string;
}

/** The header that makes a request safe to repeat: the server executes requests with the same value once. */
export interface IdempotencyKey {
  readonly header: string;
  readonly description: string;
  readonly schema: Schema;
}

/** A way to authenticate. */
export type SecurityScheme =
  | { readonly type: 'bearer' | 'basic' | 'mutualTLS' | 'other' }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string };

/** One operation of the interface as data, for servers, clients and command lines. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'TRACE';
  /** Relative to the base URL, with `{name}` for path fields. */
  readonly path: string;
  /** The base URL of this operation only, if the spec has one. It may be relative to the service's. */
  readonly server?: string;
  /** The words of its command in petctl. */
  readonly command: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** The date since which the operation is deprecated. */
  readonly deprecatedSince?: string;
  /** The date of the operation's removal. */
  readonly sunset?: string;
  /** The operation to use instead. */
  readonly successor?: string;
  /** The stability of the operation. Default: stable. */
  readonly stability?: 'experimental' | 'beta';
  /** The accepted combinations of security schemes; empty if none is needed. */
  readonly security: readonly (readonly string[])[];
  readonly body?: RequestBody;
  /** The idempotency key, if the operation has one. */
  readonly idempotencyKey?: IdempotencyKey;
  readonly pagination?: Pagination;
  /** All inputs by name. */
  readonly fields: Readonly<Record<string, Field>>;
  /** All declared responses, by status, by a range such as `2XX`, or by `default`. */
  readonly responses: Readonly<Record<string, OperationResponse>>;
  /** The keys of `responses` that are successes. */
  readonly successes: readonly string[];
  /** The status of the success, if there is only one. */
  readonly success?: number;
}

/** The names of the fields in the path, in order. */
export function pathFieldsOf({ path }: Pick<Operation, 'path'>): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** What is declared for a status: for the status itself, for its range, or as the default. */
export function responseOf<Response>(
  { responses }: { readonly responses: Readonly<Record<string, Response>> },
  status: number,
): Response | undefined {
  return responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
}

const recursiveSchemas: Readonly<Record<string, Schema>> = schemas;
const ANY_TYPE: readonly JsonType[] = ['string', 'number', 'boolean', 'array', 'object', 'null'];

/** The schema, with a reference to a recursive schema resolved. */
export function resolved(schema: Schema): Schema {
  return recursiveSchemas[schema.$ref?.slice('#/components/schemas/'.length) ?? ''] ?? schema;
}

/** The types that a schema allows; all types if it does not restrict them. `resolve` follows references. */
export function typesOf(schema: Schema, resolve = resolved): readonly JsonType[] {
  const { type, enum: values, const: only, allOf, anyOf, oneOf, properties, items } = resolve(schema);
  const typesOfPart = (part: Schema) => typesOf(part, resolve);
  if (type !== undefined) return typeof type === 'string' ? [type] : type;
  if (values) return [...new Set(values.map(typeOf))];
  if (only !== undefined) return [typeOf(only)];
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return [...new Set(alternatives.flatMap(typesOfPart))];
  if (allOf?.length) return allOf.map(typesOfPart).reduce(commonTypes);
  return properties ? ['object'] : items ? ['array'] : ANY_TYPE;
}

/** The types that are in both lists, where an integer is a number, too. */
function commonTypes(left: readonly JsonType[], right: readonly JsonType[]): readonly JsonType[] {
  const isIn = (types: readonly JsonType[]) => (type: JsonType) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...left.filter(isIn(right)), ...right.filter(isIn(left))])];
}

/** The only type that a schema allows, apart from null; undefined if it allows several. */
export function typeIn(schema: Schema): Exclude<JsonType, 'null'> | undefined {
  const [type, ...others] = typesOf(schema).filter((allowed) => allowed !== 'null');
  return others.length === 0 ? (type as Exclude<JsonType, 'null'>) : undefined;
}

/** The named properties of an object, including those of an `allOf`. The result has no prototype, so it has no other names. */
export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { properties, allOf = [] } = resolved(schema);
  return Object.assign(Object.create(null), ...allOf.map(propertiesOf), properties);
}

/** Whether a schema is a string of bytes, or has such a part or alternative, for example beside null. */
export function isBinary(schema: Schema): boolean {
  const { format, contentMediaType = 'text/plain', contentEncoding } = resolved(schema);
  const isMedia = contentEncoding === undefined && !/json|text/.test(contentMediaType);
  const isFile = typesOf(schema).includes('string') && (format === 'binary' || isMedia);
  return isFile || alternativesOf(schema).some(isBinary);
}

/** Whether an integer may be too large for an exact number: an int64 without safe bounds. */
export function isWide(schema: Schema): boolean {
  if (!typesOf(schema).includes('integer')) return false;
  const target = resolved(schema);
  return target.allOf?.some(isWide) || (target.format === 'int64' && !hasSafeBounds(target));
}

/** Whether this schema or an alternative in it accepts integers beyond 2^53. */
export function mayBeWide(schema: Schema): boolean {
  return isWide(schema) || alternativesOf(schema).some(mayBeWide);
}

/** The schemas with all their parts and alternatives, each schema once. */
export function partsOf(schemas: readonly Schema[]): readonly Schema[] {
  const parts = new Set(schemas.map(resolved));
  // The loop also visits the parts that it adds.
  for (const part of parts) for (const alternative of alternativesOf(part)) parts.add(resolved(alternative));
  return [...parts];
}

/** The schemas of a property in the parts of an object. */
export function propertySchemasOf(parts: readonly Schema[], name: string): readonly Schema[] {
  return parts.flatMap(({ properties = {}, additionalProperties }) => {
    if (Object.hasOwn(properties, name)) return properties[name] ?? [];
    return typeof additionalProperties === 'object' ? additionalProperties : [];
  });
}

/** The schemas that a schema consists of: all parts of an `allOf`, and all alternatives. */
export function alternativesOf(schema: Schema): readonly Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = resolved(schema);
  return [...allOf, ...anyOf, ...oneOf];
}

/** Whether every integer that a schema allows is an exact number: its values are listed, or its bounds are safe. */
export function hasSafeBounds(schema: Schema): boolean {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, exclusiveMaximum = Infinity } = schema;
  const isListed = schema.enum !== undefined || schema.const !== undefined;
  const [lower, upper] = [Math.max(minimum, exclusiveMinimum), Math.min(maximum, exclusiveMaximum)];
  return isListed || (lower >= Number.MIN_SAFE_INTEGER && upper <= Number.MAX_SAFE_INTEGER);
}

/** The type of a JSON value; `integer` for a number without a fraction. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

interface Violation {
  readonly at: string;
  /** The end of a sentence that begins with the location. */
  readonly message: string;
  /** The value and a comma, unless the value is a list or an object. */
  readonly shown?: string;
}

/** The direction of data: a request has no read-only properties, and a response has no write-only properties. */
type Direction = 'request' | 'response';

/**
 * The first violation: the end of a sentence about the value, or a whole sentence about a part of it, such as
 * `.age is 0, less than 1`; `undefined` if the value is valid.
 */
export function violationOf(value: unknown, schema: Schema, direction: Direction): string | undefined {
  const [first] = violationsIn(value, schema, '', direction);
  return first?.at ? sentenceOf(first) : first?.message;
}

function sentenceOf({ at, message, shown = '' }: Violation): string {
  return `${at || 'it'} is ${shown}${message}`;
}

function* violationsIn(
  value: unknown,
  reference: Schema,
  at: string,
  direction: Direction,
): Generator<Violation, void> {
  const schema = resolved(reference);
  const message = violationInValue(value, schema);
  if (message !== undefined) {
    const text = () => (typeof value === 'string' ? JSON.stringify(value) : String(value));
    // An object such as `{"toString":1}` cannot be converted to text.
    yield { at, message, shown: Object(value) === value ? '' : `${text()}, ` };
    return;
  }
  for (const part of schema.allOf ?? []) yield* violationsIn(value, part, at, direction);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives && !alternatives.some((alternative) => violationsIn(value, alternative, at, direction).next().done))
    yield { at, message: 'none of what it may be' };
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const itemSchema = schema.prefixItems?.[i] ?? schema.items;
      if (itemSchema) yield* violationsIn(item, itemSchema, `${at}[${i}]`, direction);
    }
  } else if (typeof value === 'object' && value !== null) yield* violationsInObject(value, schema, at, direction);
}

function* violationsInObject(
  value: object,
  schema: Schema,
  at: string,
  direction: Direction,
): Generator<Violation, void> {
  const { required = [], properties = {}, additionalProperties } = schema;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  for (const name of required) {
    const { readOnly, writeOnly } = resolved(properties[name] ?? {});
    const isExpected = (direction === 'request' ? readOnly : writeOnly) !== true;
    if (isExpected && !entries.some(([present]) => present === name)) yield { at: `${at}.${name}`, message: 'missing' };
  }
  for (const [name, item] of entries) {
    const itemAt = `${at}.${name}`;
    if (Object.hasOwn(properties, name)) yield* violationsIn(item, properties[name] ?? {}, itemAt, direction);
    // Properties of an `allOf` are checked with their part.
    else if (Object.hasOwn(propertiesOf(schema), name)) continue;
    else if (typeof additionalProperties === 'object')
      yield* violationsIn(item, additionalProperties, itemAt, direction);
    else if (additionalProperties === false && direction === 'request')
      yield { at: itemAt, message: 'not a property in the spec' };
  }
}

/** The violation in a value, without violations in its elements and properties. */
function violationInValue(value: unknown, schema: Schema): string | undefined {
  const { type, enum: values, const: only } = schema;
  const types = type === undefined ? [] : [type].flat();
  // A file is a string with a binary format, so only its type is checked.
  if (value instanceof Blob)
    return types.length === 0 || types.includes('string') ? undefined : `no ${types.join(' or ')}`;
  if (types.length > 0 && !types.some((allowed) => isOf(value, allowed))) {
    return types.length === 1 ? `no ${types[0] === 'array' ? 'list' : types[0]}` : `neither ${types.join(' nor ')}`;
  }
  if (values && !values.some((allowed) => isSame(allowed, value))) return `none of ${values.map(String).join(', ')}`;
  if (only !== undefined && !isSame(only, value)) return `not ${JSON.stringify(only)}`;
  if (typeof value === 'number' || typeof value === 'bigint') return numberViolation(value, schema);
  if (typeof value === 'string') return textViolation(value, schema);
  return Array.isArray(value) ? listViolation(value, schema) : undefined;
}

function numberViolation(value: number | bigint, schema: Schema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) return `less than ${minimum}`;
  if (maximum !== undefined && value > maximum) return `more than ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `not more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `not less than ${exclusiveMaximum}`;
  return multipleOf === undefined || isMultiple(value, multipleOf) ? undefined : `no multiple of ${multipleOf}`;
}

/** Whether a value is a multiple, as the server decides: a quotient may have a rounding error, and a bigint is a multiple of any fraction. */
function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return !Number.isInteger(factor) || value % BigInt(factor) === 0n;
  const times = value / factor;
  return Math.abs(times - Math.round(times)) <= 1e-9;
}

function textViolation(value: string, { minLength, maxLength, pattern }: Schema): string | undefined {
  if (minLength !== undefined && [...value].length < minLength) return `shorter than ${minLength}`;
  if (maxLength !== undefined && [...value].length > maxLength) return `longer than ${maxLength}`;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return `not like ${pattern}`;
  return undefined;
}

function listViolation(value: readonly unknown[], { minItems, maxItems, uniqueItems }: Schema): string | undefined {
  if (minItems !== undefined && value.length < minItems) return `shorter than ${minItems}`;
  if (maxItems !== undefined && value.length > maxItems) return `longer than ${maxItems}`;
  if (uniqueItems && new Set(value.map((item) => exactJson(item))).size < value.length) return 'a list with duplicates';
  return undefined;
}

function isOf(value: unknown, type: JsonType): boolean {
  const valueType = typeof value === 'bigint' ? 'integer' : typeOf(value);
  return valueType === type || (valueType === 'integer' && type === 'number');
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || (Object(left) === left && exactJson(left) === exactJson(right));
}
