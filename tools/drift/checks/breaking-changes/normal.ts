import { isDeepStrictEqual } from 'node:util';
import { type Document, resolve } from '../../../openapi/document.ts';
import { isNode, list, type Node, node } from '../../openapi.ts';

/** Keywords that say nothing about which values are valid. */
export const annotations: ReadonlySet<string> = new Set(
  '$id $anchor $comment $defs definitions title description example examples externalDocs'.split(' '),
);

/** The types that a schema allows, in order; nothing where it names none. Those of listed values are the only ones. */
export function typesOf({ type, enum: values }: Node): readonly string[] | undefined {
  const types = type === undefined ? undefined : [type].flat().map(String);
  if (!Array.isArray(values)) return types?.toSorted();
  const listed = values.flatMap((value) => typesOfValue(value).find((one) => types?.includes(one) ?? true) ?? []);
  return [...new Set(listed)].sort();
}

/** The narrowest type first. */
function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

/** The canonical form of a schema: equal for schemas that mean the same. */
function canonical(document: Document, value: unknown, within: readonly string[] = []): unknown {
  const written = hasReference(value) ? JSON.stringify(value) : '';
  // A schema that contains itself ends here.
  if (written !== '' && within.includes(written)) return written;
  const inside = written === '' ? within : [...within, written];
  if (Array.isArray(value)) return value.map((one) => canonical(document, one, inside));
  if (!isNode(value)) return value;
  const entries = Object.entries(flat(document, value)).filter(([key]) => !annotations.has(key));
  return Object.fromEntries(
    entries.map(([key, one]) => {
      if (key === 'required' || key === 'type') return [key, [one].flat().sort()];
      if (data.has(key)) return [key, one];
      if (!maps.has(key)) return [key, canonical(document, one, inside)];
      const below = Object.entries(node(one)).map(([name, each]) => [name, canonical(document, each, inside)]);
      return [key, Object.fromEntries(below)];
    }),
  );
}

const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const data = new Set(['enum', 'default', 'dependentRequired', 'discriminator']);

/** Whether a schema, or a part that is merged into it, is a reference. Only then it can contain itself. */
export function hasReference(schema: unknown): boolean {
  const { $ref, allOf, anyOf, oneOf } = node(schema);
  return $ref !== undefined || [allOf, anyOf, oneOf].flatMap(list).some(hasReference);
}

/** A schema without references, `allOf` and `const` on top. */
export function flat(document: Document, schema: unknown): Node {
  if (schema === false) return { not: {} };
  const { $ref, allOf, ...own } = node(schema);
  const target = typeof $ref === 'string' ? [resolve(document, { $ref })] : [];
  const parts = [...target, ...list(allOf)].map((part) => flat(document, part));
  return [...parts, withEnum(own)].reduce(merged, {});
}

function withEnum({ const: only, ...schema }: Node): Node {
  return only === undefined ? schema : merged(schema, { enum: [only] });
}

type Merge = (left: unknown, right: unknown) => unknown;

const larger: Merge = (left, right) => Math.max(Number(left), Number(right));
const smaller: Merge = (left, right) => Math.min(Number(left), Number(right));

/** Merges the values of a keyword in two schemas that both apply. */
const mergers: Readonly<Record<string, Merge>> = {
  required: (left, right) => [...new Set([...list(left), ...list(right)])],
  properties: (left, right) => {
    const both = { ...node(left) };
    for (const [name, one] of Object.entries(node(right)))
      both[name] = name in both ? { allOf: [both[name], one] } : one;
    return both;
  },
  type: (left, right) => {
    const [some, others] = [[left].flat(), [right].flat()];
    // Every integer is a number.
    const isIn = (types: unknown[]) => (one: unknown) =>
      types.includes(one) || (one === 'integer' && types.includes('number'));
    return [...new Set([...some.filter(isIn(others)), ...others.filter(isIn(some))])];
  },
  enum: (left, right) => list(left).filter((one) => list(right).some((other) => isDeepStrictEqual(one, other))),
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

/** A schema, and its name where a reference led to it. */
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
  const isNull = ({ schema: one }: Alternative) => isDeepStrictEqual(typesOf(one), ['null']);
  const [only, ...others] = all.filter((one) => !isNull(one));
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

function mayFitBoth(document: Document, one: Node, other: Node): boolean {
  const [types, otherTypes] = [typesOf(one), typesOf(other)];
  if (types && otherTypes && !types.some((type) => otherTypes.includes(type))) return false;
  const isOther = (value: unknown) => !list(other.enum).some((each) => isDeepStrictEqual(value, each));
  if (one.enum && other.enum && list(one.enum).every(isOther)) return false;
  const shared = list(one.required)
    .filter((name) => list(other.required).includes(name))
    .map(String);
  const property = (schema: Node, name: string) => flat(document, node(schema.properties)[name]);
  return shared.every((name) => mayFitBoth(document, property(one, name), property(other, name)));
}

/** An alternative without a mapping is selected by its name. */
function discriminatorOf(object: Node, parts: readonly unknown[]): Discriminator {
  const mapped = Object.entries(node(object.mapping)).map(
    ([value, target]) => [value, lastOf(String(target))] as const,
  );
  const names = parts.map(nameOf).filter((name) => name !== undefined);
  const implied = names.filter((name) => !mapped.some(([, target]) => target === name));
  const mapping = new Map([...implied.map((name) => [name, name] as const), ...mapped]);
  return { propertyName: String(object.propertyName), mapping, object };
}

type Documents = Readonly<Record<'before' | 'after', Document>>;

/** Whether two schemas mean the same. */
export function isSame({ before, after }: Documents, was: unknown, is: unknown): boolean {
  return isDeepStrictEqual(canonical(before, was), canonical(after, is));
}

/** Whether two names are equal, or the schemas behind them mean the same. */
export function isSameTarget(documents: Documents, was: string, is: string): boolean {
  const schema = ({ root }: Document, name: string) => root.components?.schemas?.[name];
  return was === is || isSame(documents, schema(documents.before, was), schema(documents.after, is));
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
