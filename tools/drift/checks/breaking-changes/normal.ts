import { isDeepStrictEqual } from 'node:util';
import { mapped } from '../../../generate/document.ts';
import { type Document, resolve } from '../../../openapi/document.ts';
import { isNode, list, type Node, node } from '../../openapi.ts';

/** Keywords that say nothing about which values are valid. */
export const annotations: ReadonlySet<string> = new Set(
  '$id $anchor $comment $defs definitions title description example examples externalDocs'.split(' '),
);

/** The sorted types that a schema allows: the types of its enum, else the declared types; undefined without both. */
export function typesOf({ type, enum: values }: Node): readonly string[] | undefined {
  const declared = type === undefined ? undefined : [type].flat().map(String);
  if (!Array.isArray(values)) return declared?.toSorted();
  const types = values.flatMap((value) => typesOfValue(value).find((name) => declared?.includes(name) ?? true) ?? []);
  return [...new Set(types)].sort();
}

/** The types of a value. The narrowest type is the first. */
function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

/** The canonical form of a schema: equal for schemas that mean the same. */
function canonical(document: Document, value: unknown, enclosing: readonly string[] = []): unknown {
  const text = hasReference(value) ? JSON.stringify(value) : '';
  // A schema that contains itself ends here.
  if (text !== '' && enclosing.includes(text)) return text;
  const below = (part: unknown) => canonical(document, part, text === '' ? enclosing : [...enclosing, text]);
  if (Array.isArray(value)) return value.map(below);
  if (!isNode(value)) return value;
  const entries = Object.entries(flat(document, value)).filter(([key]) => !annotations.has(key));
  return mapped(Object.fromEntries(entries), (part, key) => {
    if (key === 'required' || key === 'type') return [part].flat().sort();
    if (keywordsWithoutSchemas.has(key)) return part;
    return maps.has(key) ? mapped(node(part), below) : below(part);
  });
}

/** Keywords whose value is a map of schemas, and keywords whose value contains no schemas. */
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const keywordsWithoutSchemas = new Set(['enum', 'default', 'dependentRequired', 'discriminator']);

/** Whether a schema, or a part of its compositions, is a reference. Only such a schema can contain itself. */
export function hasReference(schema: unknown): boolean {
  const { $ref, allOf, anyOf, oneOf } = node(schema);
  return $ref !== undefined || [allOf, anyOf, oneOf].flatMap(list).some(hasReference);
}

/** An equal schema without references and `const` at its top level, and with `allOf` only for keywords that cannot be merged. */
export function flat(document: Document, schema: unknown): Node {
  if (schema === false) return { not: {} };
  const { $ref, allOf, const: value, ...own } = node(schema);
  const target = typeof $ref === 'string' ? [resolve(document, { $ref })] : [];
  const parts = [...target, ...list(allOf)].map((part) => flat(document, part));
  return [...parts, own, value === undefined ? {} : { enum: [value] }].reduce(merged, {});
}

type Merge = (left: unknown, right: unknown) => unknown;

const larger: Merge = (left, right) => Math.max(Number(left), Number(right));
const smaller: Merge = (left, right) => Math.min(Number(left), Number(right));

/** Merges the values of a keyword in two schemas that both apply. */
const mergers: Readonly<Record<string, Merge>> = {
  required: (left, right) => [...new Set([...list(left), ...list(right)])],
  properties: (left, right) => {
    const schemas = node(left);
    const added = mapped(node(right), (schema, name) =>
      Object.hasOwn(schemas, name) ? { allOf: [schemas[name], schema] } : schema,
    );
    return { ...schemas, ...added };
  },
  type: (left, right) => {
    const [leftTypes, rightTypes] = [[left].flat(), [right].flat()];
    // Every integer is a number.
    const isIn = (types: unknown[]) => (type: unknown) =>
      types.includes(type) || (type === 'integer' && types.includes('number'));
    return [...new Set([...leftTypes.filter(isIn(rightTypes)), ...rightTypes.filter(isIn(leftTypes))])];
  },
  enum: (left, right) => list(left).filter((value) => list(right).some((other) => isDeepStrictEqual(value, other))),
  ...Object.fromEntries(
    ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((key) => [key, larger]),
  ),
  ...Object.fromEntries(
    ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((key) => [key, smaller]),
  ),
};

/** A schema that a value fits if it fits both. */
export function merged(left: Node, right: Node): Node {
  const both: Record<string, unknown> = { ...left };
  const rest: unknown[] = [];
  for (const [key, value] of Object.entries(right)) {
    const merge = mergers[key];
    if (!(key in both) || annotations.has(key) || isDeepStrictEqual(both[key], value)) both[key] = value;
    else if (merge) both[key] = merge(both[key], value);
    else rest.push({ [key]: value });
  }
  return rest.length === 0 ? both : { ...both, allOf: [...list(both.allOf), ...rest] };
}

/** A schema, and the name of the reference to it, or its title. */
export interface Alternative {
  readonly name: string | undefined;
  readonly schema: Node;
}

/** A discriminator: a property, and the names of the schemas by its values. */
export interface Discriminator {
  readonly propertyName: string;
  readonly mapping: ReadonlyMap<string, string>;
  readonly object: Node;
}

/** The schemas of which a value has to fit one. */
export interface Alternatives {
  readonly all: Alternative[];
  readonly discriminator: Discriminator | undefined;
  /** Whether a value must fit exactly one of them. */
  readonly isExclusive: boolean;
}

/**
 * The schemas of which a value has to fit one: without references, `allOf`, `anyOf` and `oneOf` on top, so that the way in
 * which a schema is written does not count.
 */
export function alternativesOf(document: Document, schema: unknown): Alternatives {
  const { anyOf, oneOf, discriminator: described, ...rest } = flat(document, schema);
  const parts = list(oneOf ?? anyOf);
  const discriminator = isNode(described) ? discriminatorOf(described, parts) : undefined;
  if (parts.length === 0) return { all: [{ name: nameOf(schema), schema: rest }], discriminator, isExclusive: false };
  // With both keywords, a value must fit one alternative of each.
  const base: Node = oneOf !== undefined && anyOf !== undefined ? { ...rest, allOf: [{ anyOf }] } : rest;
  const all = parts.flatMap((part) =>
    alternativesOf(document, part).all.map(({ name, schema: one }) => ({
      name: name ?? nameOf(part),
      schema: merged(base, one),
    })),
  );
  const isNull = (alternative: Alternative) => isDeepStrictEqual(typesOf(alternative.schema), ['null']);
  const [only, ...others] = all.filter((alternative) => !isNull(alternative));
  const isNullable = only && others.length === 0 && all.some(isNull);
  return {
    all: isNullable ? [{ ...only, schema: nullable(only.schema) }] : all,
    discriminator,
    isExclusive: oneOf !== undefined,
  };
}

/** Whether a value can fit two alternatives: neither types nor enums exclude that. */
export function mayFitTwo(document: Document, all: readonly Alternative[]): boolean {
  return all.some(({ schema }, i) => all.slice(i + 1).some((other) => mayFitBoth(document, schema, other.schema)));
}

function mayFitBoth(document: Document, left: Node, right: Node): boolean {
  const [leftTypes, rightTypes] = [typesOf(left), typesOf(right)];
  if (leftTypes && rightTypes && !leftTypes.some((type) => rightTypes.includes(type))) return false;
  if (left.enum && right.enum && list(mergers.enum?.(left.enum, right.enum)).length === 0) return false;
  const shared = new Set(list(left.required)).intersection(new Set(list(right.required)));
  const property = (schema: Node, name: unknown) => flat(document, node(schema.properties)[String(name)]);
  return shared.values().every((name) => mayFitBoth(document, property(left, name), property(right, name)));
}

/** A discriminator. The name of an alternative selects it by default. */
function discriminatorOf(object: Node, parts: readonly unknown[]): Discriminator {
  const mapping = new Map(
    Object.entries(node(object.mapping)).map(([value, target]) => [value, lastOf(String(target))]),
  );
  const known = new Set([...mapping.keys(), ...mapping.values()]);
  for (const name of parts.map(nameOf)) if (name !== undefined && !known.has(name)) mapping.set(name, name);
  return { propertyName: String(object.propertyName), mapping, object };
}

type Documents = Readonly<Record<'before' | 'after', Document>>;

/** Whether two schemas mean the same. */
export function isSame(documents: Documents, before: unknown, after: unknown): boolean {
  return isDeepStrictEqual(canonical(documents.before, before), canonical(documents.after, after));
}

/** Whether two names are equal, or the schemas behind them mean the same. */
export function isSameTarget(documents: Documents, before: string, after: string): boolean {
  const schema = ({ root }: Document, name: string) => root.components?.schemas?.[name];
  return before === after || isSame(documents, schema(documents.before, before), schema(documents.after, after));
}

function nullable(schema: Node): Node {
  const types = typesOf(schema);
  return {
    ...schema,
    ...(types && { type: [...new Set([...types, 'null'])] }),
    ...(schema.enum !== undefined && { enum: [...new Set([...list(schema.enum), null])] }),
  };
}

function nameOf(schema: unknown): string | undefined {
  const { $ref, title } = node(schema);
  return typeof $ref === 'string' ? lastOf($ref) : typeof title === 'string' ? title : undefined;
}

const lastOf = (pointer: string) => pointer.split('/').at(-1) ?? pointer;
