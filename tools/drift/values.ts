// Valid and invalid values of schemas.
import { exactJson } from '@petstore/types';
import { formats, integers, type Schema, type Spec } from './spec.ts';

/** The members of an object schema, those of its `allOf` included. */
export function membersOf(spec: Spec, schema?: Schema): { properties: Record<string, Schema>; required: string[] } {
  const { properties, required = [], allOf = [] } = spec.follow(schema);
  const parts = allOf.map((part) => membersOf(spec, part));
  return {
    properties: Object.assign({}, ...parts.map((part) => part.properties), properties),
    required: [...parts.flatMap((part) => part.required), ...required],
  };
}

/** Values that the schema allows: its bounds, each enum value, each optional member. The first is an ordinary one. */
export function validValues(spec: Spec, schema: Schema, depth = 0): unknown[] {
  const full = spec.follow(schema);
  const { oneOf = [], anyOf = [], allOf = [], properties } = full;
  const has = (...types: string[]) => [full.type].flat().some((type) => types.includes(type ?? ''));
  const candidates = full.enum ?? [
    ...('const' in full ? [full.const] : []),
    ...(full.default === undefined ? [] : [full.default]),
    ...[...oneOf, ...anyOf, ...(properties ? [] : allOf)].flatMap((part) => validValues(spec, part, depth + 1)),
    ...(has('boolean') ? [true, false] : []),
    ...(has('integer', 'number') ? numbersOf(full) : []),
    ...(has('string') ? textsOf(full) : []),
    ...(has('array') ? arraysOf(spec, full, depth) : []),
    ...(has('object') || properties || allOf.length > 0 ? objectsOf(spec, full, depth) : []),
    ...(has('null') ? [null] : []),
  ];
  const distinct = new Map(candidates.map((value) => [exactJson(value), value]));
  return [...distinct.values()].filter((value) => spec.faultOf(schema, value) === undefined);
}

/** The lowest and the highest number. */
function boundsOf(schema: Schema): [low: number | bigint, high: number | bigint] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const [low, high] = integers[schema.format ?? ''] ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const least = minimum ?? (exclusiveMinimum === undefined ? low : exclusiveMinimum + 1);
  const most = maximum ?? (exclusiveMaximum === undefined ? high : exclusiveMaximum - 1);
  return [least, most];
}

function numbersOf(schema: Schema): unknown[] {
  const [low, high] = boundsOf(schema);
  const step = Number(schema.multipleOf ?? 1);
  return [5 * step, low, high, Math.floor(Number(high) / step) * step, 2n ** 53n + 1n, 0, 0.5];
}

function textsOf({ format = '', pattern, ...schema }: Schema): unknown[] {
  if (formats[format]) return [formats[format][0]];
  const { minLength = 0, maxLength = 0 } = schema;
  const patterned = [schema.example ?? 'x', 'x', 'X', '0', 'abc', 'ABC-1', '12345'];
  const free = ['Rex', '', 'Käthe "of" \\ 100% & <b>?#/ \u{1F431}', 'a\u0000\nb', ' Rex ', 'x'.repeat(1000)];
  return [...(pattern ? patterned : free), 'x'.repeat(minLength), 'x'.repeat(maxLength)];
}

function arraysOf(spec: Spec, schema: Schema, depth: number): unknown[] {
  const { items = {}, minItems = 1, maxItems = minItems } = schema;
  // A schema that contains itself ends with an empty array, or with the members that it requires.
  const values = depth < 4 ? validValues(spec, items, depth + 1) : [];
  const filled = (length: number) => Array.from({ length }, (_, i) => values[i % values.length]);
  return values.length > 0 ? [filled(Math.max(minItems, 1)), [], values, filled(maxItems)] : [[]];
}

function objectsOf(spec: Spec, schema: Schema, depth: number): unknown[] {
  const { properties, required } = membersOf(spec, schema);
  const others = Object(schema.additionalProperties) === schema.additionalProperties && depth < 4;
  const [extra] = others ? validValues(spec, schema.additionalProperties as Schema, depth + 1) : [];
  const values = Object.entries(properties)
    .filter(([name]) => depth < 4 || required.includes(name))
    .map(([name, property]) => [name, validValues(spec, property, depth + 1)] as const);
  const all = Object.fromEntries(values.map(([name, [first]]) => [name, first]));
  const least = Object.fromEntries(Object.entries(all).filter(([name]) => required.includes(name)));
  const single = values.flatMap(([name, each]) => each.map((value) => ({ ...least, [name]: value })));
  return [least, all, ...single, ...(extra === undefined ? [] : [{ ...least, another: extra }])];
}

/** Values with one fault each, and what the fault is. */
export function invalidValues(spec: Spec, schema: Schema, name: string, depth = 0): [what: string, value: unknown][] {
  const full = spec.follow(schema);
  const [low, high] = boundsOf(full).map((bound) => (typeof bound === 'bigint' ? bound : BigInt(Math.floor(bound))));
  const isNumber = /integer|number/.test(String(full.type));
  const { enum: [listed] = [], pattern, minItems = 0, maxItems = 0, minLength = 0, maxLength } = full;
  const plain = [
    ...[null, 5, 'no such value', '', {}, []],
    ...(isNumber ? [1.5, (low ?? 0n) - 1n, (high ?? 0n) + 1n] : []),
    ...(listed === undefined ? [] : [`${listed}x`, `${listed}`.toUpperCase()]),
    ...(pattern || full.format ? ['a b', '!', 'é', '7', 'x'.repeat(300)] : []),
    ...(minLength > 0 ? ['x'.repeat(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
  ];
  const found = plain.map((value): [string, unknown] => [`${name} ${exactJson(value).slice(0, 40)}`, value]);
  const [valid, ...more] = depth < 4 ? validValues(spec, schema, depth) : [];
  if (Array.isArray(valid)) {
    const [first] = invalidValues(spec, full.items ?? {}, name, depth + 1);
    const lengths = [minItems - 1, maxItems + 1].filter((length) => length > 0);
    if (first) found.push([`${name} with the item ${first[0]}`, [first[1]]]);
    for (const length of lengths) found.push([`${name} of ${length} items`, Array(length).fill(valid[0])]);
  } else if (Object(valid) === valid) {
    const { properties, required } = membersOf(spec, schema);
    const [full] = [...more, valid].sort((a, b) => Object.keys(Object(b)).length - Object.keys(Object(a)).length);
    for (const member of required) found.push([`${name} without ${member}`, { ...Object(full), [member]: undefined }]);
    found.push([`${name} with an unknown member`, { ...Object(valid), unknownMember: 1 }]);
    for (const [member, property] of Object.entries(properties))
      for (const [what, value] of invalidValues(spec, property, `${name}.${member}`, depth + 1))
        found.push([what, { ...Object(valid), [member]: value }]);
  }
  return found.filter(([, value]) => spec.faultOf(schema, JSON.parse(exactJson(value))) !== undefined);
}
