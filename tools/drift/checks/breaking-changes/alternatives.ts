import { isDeepStrictEqual } from 'node:util';
import type { Document } from '../../../openapi/document.ts';
import { isNode, list, type Node, node } from '../../openapi.ts';
import { canonical, flat, merged, typesOf } from './flat.ts';

/** A schema, and its name where a reference led to it. */
export interface Alternative {
  readonly name: string | undefined;
  readonly schema: Node;
}

/** What tells alternatives apart: a property, and the names of the schemas by its values. */
export interface Discriminator {
  readonly propertyName: string;
  readonly mapping: ReadonlyMap<string, string>;
  readonly object: Node;
}

/** The schemas of which a value has to fit one. */
export interface Alternatives {
  readonly all: Alternative[];
  readonly discriminator: Discriminator | undefined;
  /** Whether a value may fit one of them only. */
  readonly isExclusive: boolean;
}

/**
 * The schemas of which a value has to fit one: without references, `allOf`, `anyOf` and `oneOf` on top, so that the way in
 * which a schema is written does not count.
 */
export function alternativesOf(document: Document, schema: unknown): Alternatives {
  const { anyOf, oneOf, discriminator: said, ...rest } = flat(document, schema);
  const parts = list(oneOf ?? anyOf);
  const discriminator = isNode(said) ? discriminatorOf(said, parts) : undefined;
  if (parts.length === 0) return { all: [{ name: nameOf(schema), schema: rest }], discriminator, isExclusive: false };
  // Both at once say that two alternatives have to fit.
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

/** Whether a value can fit two alternatives: neither types nor listed values tell them apart. */
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

/** Where no value is mapped to an alternative, its name is the value. */
function discriminatorOf(object: Node, parts: readonly unknown[]): Discriminator {
  const mapped = Object.entries(node(object.mapping)).map(
    ([value, target]) => [value, lastOf(String(target))] as const,
  );
  const names = parts.map(nameOf).filter((name) => name !== undefined);
  const implied = names.filter((name) => !mapped.some(([, target]) => target === name));
  const mapping = new Map([...implied.map((name) => [name, name] as const), ...mapped]);
  return { propertyName: String(object.propertyName), mapping, object };
}

/** Whether two names of schemas mean the same: it is one name, or all that they say is the same. */
export function isSameTarget(
  { before, after }: Record<'before' | 'after', Document>,
  was: string,
  is: string,
): boolean {
  const schema = ({ root }: Document, name: string) => root.components?.schemas?.[name];
  return was === is || canonical(before, schema(before, was)) === canonical(after, schema(after, is));
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
