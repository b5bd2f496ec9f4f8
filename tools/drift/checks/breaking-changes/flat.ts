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

/** From the narrowest on. */
function typesOfValue(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

/** The text of a schema, the same for all ways to write it. */
export function canonical(document: Document, value: unknown, within: readonly string[] = []): string {
  const written = hasReference(value) ? JSON.stringify(value) : '';
  // A schema that contains itself ends here.
  if (written !== '' && within.includes(written)) return written;
  const inside = written === '' ? within : [...within, written];
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

/** Whether what a schema says on top stands elsewhere. Only then it can contain itself. */
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
  ...Object.fromEntries(
    ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((key) => [key, larger]),
  ),
  ...Object.fromEntries(
    ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((key) => [key, smaller]),
  ),
};

/** A schema that asks for what both ask for. */
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
