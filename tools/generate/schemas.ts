// The schemas in the generated operations, and questions about them.
import { isWide, type Schema, typesOf } from '@petstore/types';
import {
  type Document,
  defined,
  isNode,
  list,
  mapped,
  type Node,
  node,
  reject,
  resolvePointer,
  text,
} from './document.ts';
import { rejectInvalidKeywords } from './keywords.ts';

const words = (text: string) => new Set(text.split(' '));
const annotations = words(
  'description default readOnly writeOnly deprecated title example examples externalDocs xml $comment',
);
/** The supported keywords, by the kind of their value: data, one schema, a list of schemas, or schemas by name. */
const dataKeywords = words(
  'type description format enum const default minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength ' +
    'pattern contentEncoding contentMediaType minItems maxItems minContains maxContains uniqueItems required dependentRequired ' +
    'minProperties maxProperties readOnly writeOnly deprecated',
);
const singles = words('items contains additionalProperties unevaluatedProperties propertyNames not if then else');
const lists = words('allOf anyOf oneOf prefixItems');
const maps = words('properties patternProperties dependentSchemas');

/** The schema with only the supported keywords. References stay. Throws a SpecError for invalid values of keywords. */
export function supportedSchema(schema: unknown, at: string): Schema {
  if (schema === true || schema === undefined) return {};
  if (schema === false) return { not: {} };
  if (!isNode(schema)) reject(at, 'the value is not a schema', 'write an object');
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string') return supportedKeywords(schema, at);
  const more = supportedKeywords(beside, at);
  const onlyAnnotates = Object.keys(more).every((key) => annotations.has(key));
  return onlyAnnotates ? { $ref, ...more } : { allOf: [{ $ref }, more] };
}

function supportedKeywords(schema: Node, at: string): Schema {
  rejectInvalidKeywords(schema, at);
  for (const value of [schema.default, schema.const, ...list(schema.enum)])
    if (schema.type === 'integer' && Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER)
      reject(at, `${value} may have been rounded`, 'write a default, const or enum within ±(2^53−1)');
  const description = text(schema.description)?.trim() || undefined;
  return withSubschemas(defined<Node>({ ...inOrder(schema), description }), (part, path) =>
    // These keywords keep a boolean, because `propertiesOf` looks for `false`, not for `{ not: {} }`.
    typeof part === 'boolean' && /^(additional|unevaluated)Properties$/.test(path)
      ? part
      : supportedSchema(part, `${at}.${path}`),
  );
}

/** The schema with its supported keywords in a fixed order, so that the order in the spec has no effect. */
function inOrder(schema: Node): Node {
  const keys = [...dataKeywords, ...singles, ...lists, ...maps].filter((key) => Object.hasOwn(schema, key));
  return Object.fromEntries(keys.map((key) => [key, schema[key]]));
}

/** The schema with changed subschemas. `change` gets the path of each subschema, such as `properties.name`. */
export function withSubschemas(schema: Node, change: (subschema: unknown, path: string) => unknown): Node {
  return mapped(schema, (value, key) => {
    if (singles.has(key)) return change(value, key);
    if (lists.has(key)) return list(value).map((part, i) => change(part, `${key}[${i}]`));
    return maps.has(key) ? mapped(node(value), (part, name) => change(part, `${key}.${name}`)) : value;
  });
}

function subschemasOf(schema: Schema): Schema[] {
  const subschemas: unknown[] = [];
  withSubschemas(schema as Node, (subschema) => subschemas.push(subschema));
  return subschemas.filter(isNode);
}

/** The named properties of an object. */
interface Properties {
  readonly properties: ReadonlyMap<string, Schema>;
  readonly required: ReadonlySet<string>;
  /** Whether other properties are allowed. */
  readonly additional: boolean;
}

/** A body with one of these keywords is one input: its properties are not inputs of their own. */
const unmerged = ['anyOf', 'oneOf', 'not', 'if', 'patternProperties', 'dependentSchemas', 'enum', 'const'] as const;

/** Resolves references, and answers questions about schemas. */
export class Schemas {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** Follows a reference of any kind, and further references, to the target. */
  target(value: unknown, at: string): Node {
    let target = value;
    while (isNode(target) && typeof target.$ref === 'string') {
      const { description, summary } = target;
      const next = this.#follow(target.$ref, at);
      target = isNode(next) ? { ...next, ...defined({ description, summary }) } : next;
    }
    return node(target);
  }

  /** Follows references between schemas. Returns the target with the keywords that are beside the references. */
  resolve(schema: Schema): Schema {
    let { $ref, ...keywords }: Schema = schema;
    while ($ref !== undefined) {
      const next = this.#follow($ref, 'components.schemas');
      const { $ref: further, ...inTarget } = supportedSchema(next, $ref.slice(2).replaceAll('/', '.'));
      keywords = { ...inTarget, ...keywords };
      $ref = further;
    }
    return keywords;
  }

  /** The node that a reference leads to. */
  #follow($ref: string, at: string): unknown {
    const target = $ref.startsWith('#/') ? resolvePointer(this.#document, $ref.slice(1)) : undefined;
    if (target === undefined) reject(at, `$ref '${$ref}' cannot be resolved`, 'correct the reference');
    return target;
  }

  /**
   * The named and the required properties of an object, and whether others are allowed. Parts of an `allOf` are merged. Undefined if the
   * schema is not an object, has a keyword of `unmerged` or a schema for additional properties, or names no property.
   */
  propertiesOf(schema: Schema): Properties | undefined {
    const target = this.resolve(schema);
    if ((target.type ?? 'object') !== 'object' || unmerged.some((key) => target[key] !== undefined)) return undefined;
    const others = [target.additionalProperties, target.unevaluatedProperties];
    if (others.some((value) => typeof value === 'object' && Object.keys(value).length > 0)) return undefined;
    const parts: Properties[] = [];
    for (const part of target.allOf ?? []) {
      const merged = this.propertiesOf(part);
      // A part without named properties is supported only if it has no other keywords than `required` and annotations.
      if (!merged && !Object.keys(part).every((key) => key === 'required' || annotations.has(key))) return undefined;
      parts.push(merged ?? { properties: new Map(), required: new Set(part.required), additional: true });
    }
    parts.push({
      properties: new Map(Object.entries(target.properties ?? {})),
      required: new Set(target.required),
      additional: !others.includes(false),
    });
    const properties = new Map<string, Schema>();
    for (const [name, property] of parts.flatMap((part) => [...part.properties])) {
      const sameName = properties.get(name);
      properties.set(name, sameName ? { allOf: [sameName, property] } : property);
    }
    if (properties.size === 0) return undefined;
    return {
      properties,
      required: new Set(parts.flatMap(({ required }) => [...required])),
      additional: parts.every(({ additional }) => additional),
    };
  }

  /** The JSON types that the schema allows. */
  typesOf(schema: Schema): ReadonlySet<string> {
    return new Set(typesOf(schema, (part) => this.resolve(part)));
  }

  /** Whether the schema, or a part of it, passes a test. */
  some(schema: Schema, test: (part: Schema) => boolean, visited = new Set<string>()): boolean {
    if (schema.$ref !== undefined && visited.has(schema.$ref)) return false;
    if (schema.$ref !== undefined) visited.add(schema.$ref);
    const target = this.resolve(schema);
    return test(target) || subschemasOf(target).some((part) => this.some(part, test, visited));
  }

  /** Whether the schema, or a part of it, allows an integer that a number cannot represent exactly. */
  hasWide(schema: Schema): boolean {
    return this.some(schema, isWide);
  }

  /** Whether the schema allows neither lists nor objects. */
  isScalar(schema: Schema): boolean {
    const types = this.typesOf(schema);
    return !types.has('array') && !types.has('object');
  }

  /** Whether the schema allows only scalars, lists of scalars, and objects of scalars. */
  isFlat(schema: Schema): boolean {
    if (this.isScalar(schema)) return true;
    const { anyOf = [], oneOf = [], allOf = [], items, properties = {}, additionalProperties } = this.resolve(schema);
    const types = this.typesOf(schema);
    const contained: unknown[] = [];
    if (types.has('array')) contained.push(items);
    if (types.has('object')) contained.push(...Object.values(properties), additionalProperties);
    return (
      [...anyOf, ...oneOf, ...allOf].every((part) => this.isFlat(part)) &&
      contained.filter(isNode).every((value) => this.isScalar(value))
    );
  }
}
