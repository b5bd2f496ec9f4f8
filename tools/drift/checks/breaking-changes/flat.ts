import { isDeepStrictEqual } from 'node:util';
import { type Document, resolve } from '../../../openapi/document.ts';
import { isNode, list, type Node, node } from '../../openapi.ts';

/** Keywords that say nothing about which values are valid. */
export const annotations: ReadonlySet<string> = new Set(
  '$schema $id $anchor $comment $defs definitions title description example examples externalDocs xml'.split(' '),
);

/** A schema, and its name where a reference led to it. */
export interface Alternative {
  readonly name: string | undefined;
  readonly schema: Node;
}

/**
 * The schemas of which a value has to fit one: without references, `allOf`, `anyOf` and `oneOf` on top, so that the way in
 * which a schema is written does not count.
 */
export function alternativesOf(document: Document, schema: unknown): Alternative[] {
  const { anyOf, oneOf, ...rest } = flat(document, schema);
  const parts = list(oneOf ?? anyOf);
  if (parts.length === 0) return [{ name: nameOf(schema), schema: rest }];
  // Both at once say that two alternatives have to fit.
  const base: Node = oneOf !== undefined && anyOf !== undefined ? { ...rest, allOf: [{ anyOf }] } : rest;
  const all = parts.flatMap((part) =>
    alternativesOf(document, part).map(({ name, schema: one }) => ({
      name: name ?? nameOf(part),
      schema: merged(base, one),
    })),
  );
  const isNull = ({ schema: one }: Alternative) => isDeepStrictEqual(typesOf(one), ['null']);
  const [only, ...others] = all.filter((one) => !isNull(one));
  return only && others.length === 0 && all.some(isNull) ? [{ ...only, schema: nullable(only.schema) }] : all;
}

/** The types that a schema names, in order; nothing where it names none. */
export function typesOf({ type }: Node): readonly string[] | undefined {
  return type === undefined ? undefined : [type].flat().map(String).sort();
}

/** The text of a schema, the same for all ways to write it. */
export function canonical(document: Document, value: unknown, within: readonly string[] = []): string {
  const $ref = isNode(value) ? value.$ref : undefined;
  // A schema that contains itself ends here.
  if (typeof $ref === 'string' && within.includes($ref)) return JSON.stringify({ $ref });
  const inside = typeof $ref === 'string' ? [...within, $ref] : within;
  if (Array.isArray(value)) return `[${value.map((one) => canonical(document, one, inside)).join(',')}]`;
  if (!isNode(value)) return JSON.stringify(value) ?? 'none';
  const entries = Object.entries(flat(document, value)).filter(([key]) => !annotations.has(key));
  return object(
    entries.map(([key, one]) => {
      if (key === 'required' || key === 'type') return [key, JSON.stringify([one].flat().sort())];
      if (data.has(key)) return [key, JSON.stringify(one)];
      const below = Object.entries(maps.has(key) ? node(one) : {});
      if (below.length === 0) return [key, canonical(document, one, inside)];
      return [key, object(below.map(([name, each]) => [name, canonical(document, each, inside)]))];
    }),
  );
}

const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const data = new Set(['enum', 'default', 'dependentRequired', 'discriminator']);

function object(entries: readonly (readonly [key: string, text: string])[]): string {
  const texts = entries.map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  return `{${texts.sort().join(',')}}`;
}

/** A schema without references, `allOf` and `const` on top. */
function flat(document: Document, schema: unknown): Node {
  if (schema === false) return { not: {} };
  const { $ref, allOf, ...own } = node(schema);
  const target = typeof $ref === 'string' ? [resolve(document, { $ref })] : [];
  const parts = [...target, ...list(allOf)].map((part) => flat(document, part));
  return [...parts, withEnum(own)].reduce(merged, {});
}

function withEnum({ const: only, ...schema }: Node): Node {
  return only === undefined ? schema : merged(schema, { enum: [only] });
}

function nullable(schema: Node): Node {
  const types = typesOf(schema);
  return {
    ...schema,
    ...(types && { type: [...new Set([...types, 'null'])] }),
    ...(schema.enum !== undefined && { enum: [...new Set([...list(schema.enum), null])] }),
  };
}

type Merge = (left: unknown, right: unknown) => unknown;

const larger: Merge = (left, right) => Math.max(Number(left), Number(right));
const smaller: Merge = (left, right) => Math.min(Number(left), Number(right));

/** How two keywords that both have to hold become one. */
const mergers: Readonly<Record<string, Merge>> = {
  required: (left, right) => [...new Set([...list(left), ...list(right)])],
  properties: (left, right) => {
    const both = { ...node(left) };
    for (const [name, one] of Object.entries(node(right)))
      both[name] = name in both ? { allOf: [both[name], one] } : one;
    return both;
  },
  type: (left, right) => [left].flat().filter((one) => [right].flat().includes(one)),
  enum: (left, right) => list(left).filter((one) => list(right).some((other) => isDeepStrictEqual(one, other))),
  ...Object.fromEntries(['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map((key) => [key, larger])),
  ...Object.fromEntries(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map((key) => [key, smaller])),
};

/** A schema that asks for what both ask for. */
function merged(left: Node, right: Node): Node {
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

function nameOf(schema: unknown): string | undefined {
  const { $ref, title } = node(schema);
  return typeof $ref === 'string' ? $ref.split('/').at(-1) : typeof title === 'string' ? title : undefined;
}
