// The schemas of the operations table, and queries on them.
import { hasSafeBounds, type Schema } from '@petstore/types';
import { type Document, isNode, list, type Node, node, reject, resolvePointer, text } from './document.ts';

const words = (text: string) => new Set(text.split(' '));
const annotations = words(
  'description default readOnly writeOnly deprecated title example examples externalDocs xml $comment',
);
/** The supported keywords, by the kind of their value: data, one schema, a list of schemas, or schemas by name. */
const scalars = words(
  'type description format enum const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength ' +
    'pattern contentEncoding contentMediaType minItems maxItems minContains maxContains uniqueItems required dependentRequired ' +
    'minProperties maxProperties readOnly writeOnly deprecated',
);
const singles = words('items contains additionalProperties unevaluatedProperties propertyNames not if then else');
const lists = words('allOf anyOf oneOf prefixItems');
const maps = words('properties patternProperties dependentSchemas');

/** The schema with its supported keywords only, and with unresolved references. */
export function plain(schema: unknown, at: string): Schema {
  if (schema === true || schema === undefined) return {};
  if (schema === false) return { not: {} };
  if (!isNode(schema)) reject(at, 'the value is not a schema', 'write an object');
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return plainKeywords(schema, at);
  const more = plainKeywords(beside, at);
  const onlyAnnotates = Object.keys(more).every((key) => annotations.has(key));
  return onlyAnnotates ? { $ref, ...more } : { allOf: [{ $ref }, more] };
}

function plainKeywords(schema: Node, at: string): Schema {
  const result: Record<string, unknown> = {};
  for (const [key, value] of inOrder(schema)) {
    const below = `${at}.${key}`;
    if (key === 'description') {
      if (text(value)?.trim()) result.description = text(value)?.trim();
    } else if (scalars.has(key)) result[key] = value;
    else if (singles.has(key))
      result[key] = typeof value === 'boolean' && /Properties$/.test(key) ? value : plain(value, below);
    else if (lists.has(key)) result[key] = list(value).map((one, i) => plain(one, `${below}[${i}]`));
    else if (maps.has(key))
      result[key] = Object.fromEntries(
        Object.entries(node(value)).map(([name, one]) => [name, plain(one, `${below}.${name}`)]),
      );
  }
  return result;
}

/** The keywords of a schema in a fixed order, so that the order in the spec has no effect. */
function inOrder(schema: Node): [string, unknown][] {
  return [...scalars, ...singles, ...lists, ...maps].flatMap((key) =>
    Object.hasOwn(schema, key) ? [[key, schema[key]] satisfies [string, unknown]] : [],
  );
}

/** Resolves references, and computes properties of schemas. */
export class Schemas {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** Follows a reference of any kind, and further references, to the target. */
  target(value: unknown, at: string): Node {
    let target = value;
    for (let steps = 0; isNode(target) && typeof target.$ref === 'string'; steps++) {
      const { $ref, ...beside } = target;
      const next = $ref === '#' || $ref.startsWith('#/') ? resolvePointer(this.#document, $ref.slice(1)) : undefined;
      if (next === undefined) reject(at, `$ref '${$ref}' cannot be resolved`, 'correct the reference');
      if (steps > 100) reject(at, `$ref '${$ref}' is circular`, 'correct the reference');
      target = isNode(next) ? { ...next, ...pick(beside, ['description', 'summary']) } : next;
    }
    return node(target);
  }

  /** Follows references between schemas. Returns the target with the keywords that are beside the references. */
  resolve(schema: Schema, at = 'components.schemas'): Schema {
    let { $ref, ...keywords }: Schema = schema;
    for (let steps = 0; $ref !== undefined; steps++) {
      const next = resolvePointer(this.#document, $ref.slice(1));
      if (!$ref.startsWith('#/') || next === undefined)
        reject(at, `$ref '${$ref}' cannot be resolved`, 'correct the reference');
      if (steps > 100) reject(at, `$ref '${$ref}' is circular`, 'correct the reference');
      const { $ref: further, ...behind } = plain(next, $ref.slice(2).replaceAll('/', '.'));
      keywords = { ...behind, ...keywords };
      $ref = further;
    }
    return keywords;
  }

  /**
   * The named properties of an object, the required properties, and whether additional properties are allowed. Parts of an `allOf`
   * are merged. Undefined if the schema allows other values than objects, or names no properties.
   */
  propertiesOf(
    schema: Schema,
  ): { properties: Map<string, Schema>; required: Set<string>; additional: boolean } | undefined {
    return this.#merge(schema, new Set());
  }

  #merge(schema: Schema, within: Set<string>) {
    if (schema.$ref !== undefined) {
      if (within.has(schema.$ref)) return undefined;
      within = new Set(within).add(schema.$ref);
    }
    const whole = this.resolve(schema);
    const {
      type,
      anyOf,
      oneOf,
      not,
      if: condition,
      patternProperties,
      dependentSchemas,
      enum: values,
      const: only,
    } = whole;
    if (type !== undefined && type !== 'object') return undefined;
    if (anyOf || oneOf || not || condition || patternProperties || dependentSchemas || values || only !== undefined)
      return undefined;
    for (const rest of [whole.additionalProperties, whole.unevaluatedProperties])
      if (typeof rest === 'object' && Object.keys(rest).length > 0) return undefined;
    const properties = new Map<string, Schema>();
    const required = new Set<string>();
    let additional = whole.additionalProperties !== false && whole.unevaluatedProperties !== false;
    for (const part of whole.allOf ?? []) {
      const merged = this.#merge(part, within);
      // A part without named properties is supported only if it contains nothing but `required` and annotations.
      if (!merged && !Object.keys(part).every((key) => key === 'required' || annotations.has(key))) return undefined;
      if (merged && !merged.additional) additional = false;
      for (const name of merged?.required ?? part.required ?? []) required.add(name);
      for (const [name, property] of merged?.properties ?? []) {
        const other = properties.get(name);
        properties.set(name, other ? { allOf: [other, property] } : property);
      }
    }
    for (const [name, property] of Object.entries(whole.properties ?? {})) {
      const other = properties.get(name);
      properties.set(name, other ? { allOf: [other, property] } : property);
    }
    for (const name of whole.required ?? []) required.add(name);
    if (properties.size === 0) return undefined;
    return { properties, required, additional };
  }

  /** The JSON types that the schema allows. */
  typesOf(schema: Schema, depth = 0): Set<string> {
    const all = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
    if (depth > 20) return all;
    const { type, enum: values, const: only, allOf, anyOf, oneOf, properties, items } = this.resolve(schema);
    if (type !== undefined)
      return new Set([type].flat().flatMap((one) => (one === 'number' ? ['number', 'integer'] : [one])));
    if (values) return new Set(values.map(typeOf));
    if (only !== undefined) return new Set([typeOf(only)]);
    const some = anyOf ?? oneOf;
    if (some) return new Set(some.flatMap((one) => [...this.typesOf(one, depth + 1)]));
    if (allOf)
      return allOf
        .map((one) => this.typesOf(one, depth + 1))
        .reduce((left, right) => new Set(Array.from(left).filter((type) => right.has(type))), all);
    return properties ? new Set(['object']) : items ? new Set(['array']) : all;
  }

  /** Whether the schema, or a part of it, allows an integer that a number cannot represent exactly. */
  hasWide(schema: Schema, within: ReadonlySet<string> = new Set()): boolean {
    if (schema.$ref !== undefined && within.has(schema.$ref)) return false;
    const visited = schema.$ref === undefined ? within : new Set(within).add(schema.$ref);
    const {
      items,
      prefixItems = [],
      properties = {},
      additionalProperties,
      patternProperties = {},
      ...whole
    } = this.resolve(schema);
    if (isWide(whole)) return true;
    const parts = [
      items,
      additionalProperties,
      ...prefixItems,
      ...Object.values(properties),
      ...Object.values(patternProperties),
    ];
    const alternatives = [...(whole.allOf ?? []), ...(whole.anyOf ?? []), ...(whole.oneOf ?? [])];
    return [...parts, ...alternatives].some((part) => typeof part === 'object' && this.hasWide(part, visited));
  }

  /** Whether the schema allows neither lists nor objects. */
  isScalar(schema: Schema): boolean {
    const types = this.typesOf(schema);
    return !types.has('array') && !types.has('object');
  }

  /** Whether the schema allows only scalars, lists of scalars, and objects of scalars. */
  isFlat(schema: Schema, depth = 0): boolean {
    const resolved = this.resolve(schema);
    const { anyOf, oneOf, allOf, items, properties, additionalProperties } = resolved;
    if (depth > 20) return false;
    if (this.isScalar(schema)) return true;
    const parts = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? [])];
    if (parts.length > 0 && !parts.every((one) => this.isFlat(one, depth + 1))) return false;
    const types = this.typesOf(schema);
    if (parts.length > 0 && !items && !properties) return true;
    if (types.has('array') && items && !this.isScalar(items)) return false;
    if (!types.has('object')) return true;
    const others = typeof additionalProperties === 'object' ? [additionalProperties] : [];
    return [...Object.values(properties ?? {}), ...others].every((one) => this.isScalar(one));
  }
}

/** Whether the schema allows an integer that a number cannot represent exactly: an int64 without narrower bounds. */
export function isWide(schema: { readonly [K in keyof Schema]?: unknown }): boolean {
  const isInteger = [schema.type].flat().includes('integer');
  return isInteger && schema.format === 'int64' && !hasSafeBounds(schema as Schema);
}

/** Whether the schema describes a string of bytes. */
export function isBinary({ type, format, contentMediaType, contentEncoding }: Schema): boolean {
  return (
    [type ?? 'string'].flat().includes('string') &&
    (format === 'binary' ||
      (contentMediaType !== undefined && contentEncoding === undefined && !/json|text/.test(contentMediaType)))
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function pick(from: Node, keys: readonly string[]): Node {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}
