import { createRequire } from 'node:module';
import { type Document, resolve, type Schema } from './document.ts';

export interface Options {
  /** Optional properties as well, and two items in a list. */
  isFull: boolean;
  /** Which of several alternatives, counted from 0. */
  variant: number;
  /** The sample of a string without constraints. */
  text: string;
}

/** Loads fast-check only if a text has to match a pattern, because it is large. */
const fastCheck = (): typeof import('fast-check') => createRequire(import.meta.url)('fast-check');

const MAX_DEPTH = 5;

/** Makes a value from a schema alone. The value may be invalid if constraints of the schema exclude each other. */
export function sample(document: Document, schema: Schema, options: Options, depth = 0): unknown {
  const flat = flatten(document, schema, options.variant);
  if (flat.const !== undefined) return flat.const;
  const values = flat.enum?.filter((value) => value !== null);
  if (values) return values[options.variant % values.length] ?? null;
  switch (typeOf(flat)) {
    case 'object':
      return objectOf(document, flat, options, depth);
    case 'array':
      return listOf(document, flat, options, depth);
    case 'integer':
    case 'number':
      return numberOf(flat);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'file':
      return { bytes: Uint8Array.from([137, 80, 0, 13, 10, 255]), name: 'file.bin' };
    default:
      return stringOf(flat, options);
  }
}

/** The names of the properties that a value can have by one of several alternatives. */
export function propertyNames(document: Document, schema: Schema, variant: number): string[] {
  return Object.keys(flatten(document, schema, variant).properties ?? {});
}

/** A schema without references, `allOf`, `oneOf` and `anyOf`: one alternative is merged in. */
function flatten(document: Document, schema: Schema, variant: number, depth = 0): Schema {
  const { allOf = [], oneOf, anyOf, ...own } = resolve(document, schema);
  if (depth > 16) return own;
  const { $ref, ...beside } = schema;
  // OpenAPI 3.0 ignores keywords beside a reference.
  const siblings = $ref === undefined || document.root.openapi.startsWith('3.0') ? {} : beside;
  const alternatives = oneOf ?? anyOf ?? [];
  const chosen = alternatives[variant % (alternatives.length || 1)];
  const merged = { ...own };
  for (const part of [...allOf, ...(chosen ? [chosen] : []), siblings]) {
    const flat = flatten(document, part, variant, depth + 1);
    const properties = { ...merged.properties, ...flat.properties };
    const required = [...new Set([...(merged.required ?? []), ...(flat.required ?? [])])];
    Object.assign(merged, flat, { properties, required });
  }
  const { discriminator } = own;
  if (!discriminator || chosen?.$ref === undefined) return merged;
  const name =
    Object.entries(discriminator.mapping ?? {}).find(([, target]) => target === chosen.$ref)?.[0] ??
    chosen.$ref.split('/').at(-1);
  return { ...merged, properties: { ...merged.properties, [discriminator.propertyName]: { const: name } } };
}

function typeOf({ type, format, properties, items, additionalProperties }: Schema): string {
  const types = [type ?? []].flat();
  const named = types.find((each) => each !== 'null') ?? types[0];
  if (named === 'string' && format === 'binary') return 'file';
  if (named !== undefined) return named;
  if (items) return 'array';
  return Object.keys(properties ?? {}).length > 0 || typeof additionalProperties === 'object' ? 'object' : 'string';
}

function objectOf(document: Document, schema: Schema, options: Options, depth: number): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const writable = Object.keys(properties).filter((name) => !resolve(document, properties[name] ?? {}).readOnly);
  const isNeeded = (name: string) => required.includes(name) || (options.isFull && depth < MAX_DEPTH);
  const [needed, optional] = [writable.filter(isNeeded), writable.filter((name) => !isNeeded(name))];
  // Optional properties are added up to `minProperties`.
  const chosen = [...needed, ...optional.slice(0, Math.max(0, minProperties - needed.length))];
  const entries = (depth <= 2 * MAX_DEPTH ? chosen : []).map((name): [string, unknown] => [
    name,
    sample(document, properties[name] ?? {}, options, depth + 1),
  ]);
  const hasExtraSchema = typeof additionalProperties === 'object';
  const undeclared = required.filter((name) => !(name in properties));
  const least = hasExtraSchema && options.isFull && depth < MAX_DEPTH ? 1 : 0;
  const length = additionalProperties === false ? 0 : Math.max(least, minProperties - entries.length);
  const extra = Array.from({ length }, (_, index) => `key${index + 1}`);
  for (const name of [...undeclared, ...extra])
    entries.push([name, sample(document, hasExtraSchema ? additionalProperties : {}, options, depth + 1)]);
  return Object.fromEntries(entries);
}

function listOf(document: Document, schema: Schema, options: Options, depth: number): unknown[] {
  const { items = {}, minItems = 0, maxItems = Infinity, prefixItems = [] } = schema;
  const usualLength = depth >= MAX_DEPTH ? 0 : options.isFull ? 2 : 1;
  const length = Math.min(Math.max(usualLength, minItems, prefixItems.length), maxItems);
  const values = Array.from({ length }, (_, index) => {
    const item = prefixItems[index] ?? items;
    const flat = flatten(document, item, options.variant);
    const choice = flat.enum && { variant: options.variant + index };
    return distinct(sample(document, item, { ...options, ...choice }, depth + 1), flat, index);
  });
  return schema.uniqueItems && !areDistinct(values) ? values.slice(0, 1) : values;
}

/** Gives the items of a list different values, so that their order shows. */
function distinct(value: unknown, { format, pattern, enum: values }: Schema, index: number): unknown {
  if (index === 0 || values) return value;
  if (typeof value === 'number') return value + index;
  return typeof value === 'string' && format === undefined && pattern === undefined ? `${value}${index + 1}` : value;
}

function areDistinct(values: unknown[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size === values.length;
}

function numberOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type }: Schema): number {
  const step = multipleOf ?? (type === 'number' ? 0.5 : 1);
  const low = inclusive(minimum, exclusiveMinimum, step) ?? -Infinity;
  const high = inclusive(maximum, exclusiveMaximum, -step) ?? Infinity;
  const nearestToOne = Math.max(low, Math.min(1, high));
  return Math.min(Math.ceil(nearestToOne / step) * step, high);
}

/** The inclusive bound. An exclusive bound is a number; in OpenAPI 3.0, it is a boolean beside the bound. */
function inclusive(bound: number | undefined, exclusive: number | boolean | undefined, step: number) {
  if (typeof exclusive === 'number') return exclusive + step;
  return exclusive ? (bound ?? 0) + step : bound;
}

const FORMATS: Record<string, string> = {
  date: '2026-11-21',
  'date-time': '2026-11-21T12:30:00Z',
  time: '12:30:00Z',
  duration: 'P3D',
  uuid: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  email: 'someone@example.com',
  uri: 'https://example.com/a?b=c',
  url: 'https://example.com/a?b=c',
  'uri-reference': '/a?b=c',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  byte: 'aGVsbG8=',
};

function stringOf({ format, pattern, minLength = 0, maxLength = Infinity }: Schema, { text }: Options): string {
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u');
    const fits = (value: string) => value.length >= minLength && value.length <= maxLength;
    const simple = ['text', 'x', '1'].find((value) => fits(value) && expression.test(value));
    if (simple !== undefined) return simple;
    const fc = fastCheck();
    return fc.sample(fc.stringMatching(expression).filter(fits), { seed: 1, numRuns: 1 })[0] ?? '';
  }
  const value = (format && FORMATS[format]) || text;
  return value.padEnd(minLength, 'x').slice(0, maxLength);
}
