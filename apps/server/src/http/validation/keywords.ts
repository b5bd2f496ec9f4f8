import { hasSafeBounds, type Schema } from '@petstore/types';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { isInt64 } from '../values.ts';

/** The part of the validator's ajv that takes keywords. */
export interface AjvKeywords {
  addKeyword(keyword: object): unknown;
  removeKeyword(keyword: string): unknown;
}

const KEYWORD = 'x-int64';

/** What stands beside the keyword in a schema. */
interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/**
 * A copy of the spec for the validator. A keyword of ours stands for each int64 that a number may not carry exactly: JSON
 * Schema's types know no bigint. Properties that are read-only have no default, and `nullable` is gone, which OpenAPI 3.1
 * ignores.
 */
export function withInt64Keyword(spec: OpenAPIV3.DocumentV3_1): OpenAPIV3.DocumentV3_1 {
  return replaced(spec) as OpenAPIV3.DocumentV3_1;
}

/** What the keywords of ours accept, by their names. Checks that were written down call these too. */
export const keywordChecks = {
  [KEYWORD]: (isNullable: boolean, value: unknown, bounds: Bounds) =>
    typeof value === 'bigint'
      ? isInt64(value) && isWithin(value, bounds)
      : Number.isSafeInteger(value) || (isNullable && value === null),
  uniqueItems: (isWanted: boolean, items: unknown[]) =>
    !isWanted || new Set(items.map(canonical)).size === items.length,
  readOnly: (isReadOnly: boolean) => !isReadOnly,
};

/**
 * Teaches a validator integers that a number holds exactly or a bigint of 64 bits, and to find equal elements in linear
 * time.
 */
export function addKeywords(ajv: AjvKeywords): void {
  ajv.addKeyword({
    keyword: KEYWORD,
    error: { message: 'must be an integer from -9223372036854775808 to 9223372036854775807' },
    validate: keywordChecks[KEYWORD],
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    error: { message: 'must NOT have duplicate items' },
    validate: keywordChecks.uniqueItems,
  });
}

/** The same for requests, whose properties that are read-only are refused. The validator's own keyword for it has no name in written code. */
export function addRequestKeywords(ajv: AjvKeywords): void {
  addKeywords(ajv);
  ajv.removeKeyword('readOnly');
  ajv.addKeyword({ keyword: 'readOnly', error: { message: 'is read-only' }, validate: keywordChecks.readOnly });
}

/** A text that equal values have in common: objects are equal whatever the order of their properties. */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`)}}`;
}

function isWithin(
  value: bigint,
  {
    minimum = -Infinity,
    maximum = Infinity,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
    multipleOf,
  }: Bounds,
): boolean {
  const isMultiple = multipleOf === undefined || !Number.isInteger(multipleOf) || value % BigInt(multipleOf) === 0n;
  const isBetween = value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
  return isBetween && isMultiple;
}

function replaced(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaced);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one)]));
  // The validator would put the default into a request, and then refuse it there.
  if (copy.readOnly === true) delete copy.default;
  if (typeof copy.nullable === 'boolean') delete copy.nullable;
  const { type, format } = copy;
  const types = [type].flat().filter((one) => one !== 'null');
  if (types.join() !== 'integer' || format !== 'int64') return copy;
  const { type: _type, format: _format, ...others } = copy;
  // Of an integer within such bounds the format says nothing more.
  if (hasSafeBounds(copy as Schema)) return { ...others, type };
  return { ...others, [KEYWORD]: [type].flat().includes('null') };
}
