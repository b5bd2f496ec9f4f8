import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { hasSafeBounds, isInt64, type JsonType, type Operation, type Schema, typeOf } from '../../old.ts';
import { canonical, decodedText } from '../values.ts';

/** The methods of ajv that add and remove keywords. */
export interface AjvKeywords {
  addKeyword(keyword: object): unknown;
  removeKeyword(keyword: string): unknown;
}

/** The name of an operation's compiled checks. */
export const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

const INT64_KEYWORD = 'x-int64';

/**
 * A copy of the spec for the validator. The keyword `x-int64` replaces the types of each int64 that can exceed 2^53, because the
 * types of JSON Schema do not cover bigints. Its value is the list of the other allowed types. The copy has no defaults that a request
 * must not contain, and no `nullable`, which OpenAPI 3.1 ignores. Alternatives with a discriminator need not exclude each other. Components have
 * names in ASCII.
 */
export function adaptedSpec(spec: object): OpenAPIV3.DocumentV3_1 {
  const copy = replaced(spec) as OpenAPIV3.DocumentV3_1;
  const schemas = Object.entries(copy.components?.schemas ?? {}).map(([name, schema]) => [inAscii(name), schema]);
  return copy.components ? { ...copy, components: { ...copy.components, schemas: Object.fromEntries(schemas) } } : copy;
}

/** The name of a component, or a reference to it, in ASCII: ajv escapes other characters in references, but not in names. */
function inAscii(text: string): string {
  const decoded = decodedText(text) ?? text;
  return decoded.replace(/[^\w.~/#-]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`);
}

/** The functions that check our keywords, by keyword. The generated checks call these functions, too. */
export const keywordChecks = {
  [INT64_KEYWORD]: (otherTypes: readonly JsonType[], value: unknown, schema: Schema) =>
    typeof value === 'bigint'
      ? isInt64(value) && isWithin(value, schema)
      : Number.isSafeInteger(value) || otherTypes.includes(typeOf(value)),
  uniqueItems: (isRequired: boolean, items: unknown[]) =>
    !isRequired || new Set(items.map(canonical)).size === items.length,
  readOnly: (isReadOnly: boolean) => !isReadOnly,
};

/** Adds the keyword `x-int64` to an ajv, and replaces `uniqueItems` by a check in linear time. */
export function addKeywords(ajv: AjvKeywords): void {
  const message = 'must be an integer from -9223372036854775808 to 9223372036854775807';
  ajv.addKeyword({ keyword: INT64_KEYWORD, error: { message }, validate: keywordChecks[INT64_KEYWORD] });
  ajv.removeKeyword('uniqueItems');
  const error = { message: 'must NOT have duplicate items' };
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', error, validate: keywordChecks.uniqueItems });
}

/** Adds the keywords for requests, in which read-only properties are rejected. Generated code cannot call the validator's `readOnly`. */
export function addRequestKeywords(ajv: AjvKeywords): void {
  addKeywords(ajv);
  ajv.removeKeyword('readOnly');
  ajv.addKeyword({ keyword: 'readOnly', error: { message: 'is read-only' }, validate: keywordChecks.readOnly });
}

function isWithin(value: bigint, schema: Schema): boolean {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity } = schema;
  const { maximum = Infinity, exclusiveMaximum = Infinity, multipleOf } = schema;
  const isMultiple = multipleOf === undefined || !Number.isInteger(multipleOf) || value % BigInt(multipleOf) === 0n;
  const isBetween = value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
  return isBetween && isMultiple;
}

function replaced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaced);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member)]));
  // The validator would set the default in a request, then reject it.
  if (copy.readOnly === true || isForbidden(copy.default, copy)) delete copy.default;
  if (typeof copy.nullable === 'boolean') delete copy.nullable;
  if (typeof copy.$ref === 'string') copy.$ref = inAscii(copy.$ref);
  // All references are pointers, so these names are unused. ajv would read them even in examples, and reject a repeated name.
  for (const name of ['$id', '$anchor', '$dynamicAnchor']) if (typeof copy[name] === 'string') delete copy[name];
  if (Array.isArray(copy.oneOf) && copy.discriminator && !copy.anyOf) {
    copy.anyOf = copy.oneOf;
    delete copy.oneOf;
  }
  const { type, format, ...others } = copy;
  const types = [type].flat();
  if (!types.includes('integer') || format !== 'int64') return copy;
  // Within such bounds a number holds every integer exactly.
  if (hasSafeBounds(copy as Schema)) return { ...others, type };
  return { ...others, [INT64_KEYWORD]: types.filter((name) => name !== 'integer') };
}

/** Whether a default has a type or value that its schema does not allow. Null beside a reference counts: the target seldom allows it. */
function isForbidden(value: unknown, { type, enum: values, $ref, oneOf, anyOf }: Record<string, unknown>): boolean {
  if (value === undefined) return false;
  const alternatives = oneOf ?? anyOf;
  if (Array.isArray(alternatives)) return alternatives.every((alternative) => isForbidden(value, Object(alternative)));
  if (typeof $ref === 'string' && value === null) return true;
  if (Array.isArray(values) && !values.map(canonical).includes(canonical(value))) return true;
  const types = [type].flat();
  // In a map of properties, `type` may be the name of a property, and its value a schema.
  if (!types.every((name) => typeof name === 'string')) return false;
  return !types.includes(typeOf(value)) && !(typeof value === 'number' && types.includes('number'));
}
