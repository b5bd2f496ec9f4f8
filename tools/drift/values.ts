// Valid and invalid values of schemas, and JSON with exact integers.
import { isDeepStrictEqual } from 'node:util';
import { formats, integers, type Schema, type Spec } from './spec.ts';

/** Reports a contradiction: what it is, and how to end it where that is not what always ends those of the check. */
export type Report = (what: string, fix?: string) => void;

/** Reports two values that should be equal. */
export function differ(report: Report, what: string, found: unknown, wanted: unknown): void {
  const shown = (value: unknown) => (typeof value === 'string' ? value : writeJson(value))?.slice(0, 150) ?? 'absent';
  if (!isDeepStrictEqual(found, wanted)) report(`${what} is ${shown(found)}, not ${shown(wanted)}`);
}

/** The JSON text of a value, with all digits of a bigint. */
export function writeJson(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each));
}

/** The value of a JSON text. An integer that a double would round becomes a bigint. */
export function readJson(text: string): unknown {
  return JSON.parse(text, (_: string, value: unknown, { source = '' }: { source?: string } = {}) => {
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
    return isRounded ? BigInt(source) : value;
  });
}

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
  const distinct = new Map(candidates.map((value) => [writeJson(value), value]));
  return [...distinct.values()].filter((value) => spec.faultOf(schema, value) === undefined);
}

/** The lowest and the highest number. */
function boundsOf({ format = '', minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema) {
  const [low, high] = integers[format] ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const least = minimum ?? (exclusiveMinimum === undefined ? low : exclusiveMinimum + 1);
  const most = maximum ?? (exclusiveMaximum === undefined ? high : exclusiveMaximum - 1);
  return [least, most] as const;
}

function numbersOf(schema: Schema): unknown[] {
  const [low, high] = boundsOf(schema);
  const { multipleOf = 1 } = schema;
  const multiples = [Math.ceil(Number(low) / multipleOf), Math.floor(Number(high) / multipleOf), 1];
  const steps = schema.multipleOf ? multiples.map((count) => count * multipleOf) : [];
  return [5 * multipleOf, low, high, ...steps, 2n ** 53n + 1n, 0, 0.5];
}

function textsOf({ format = '', minLength = 0, maxLength = 0, pattern, ...shown }: Schema): unknown[] {
  if (formats[format]) return [formats[format][0]];
  const patterned = [shown.example, 'x', 'X', '0', 'abc', 'ABC-1', '12345'].filter((text) => text !== undefined);
  const free = [
    'Rex',
    '',
    'Käthe "of" \\ 100% & <b>?#/ \u{1F431}',
    'a\u0000\nb',
    ' Rex ',
    'Ka\u0308the',
    'x'.repeat(1000),
  ];
  return [...(pattern ? patterned : free), 'x'.repeat(minLength), 'x'.repeat(maxLength)];
}

function arraysOf(spec: Spec, { items = {}, minItems = 1, maxItems = minItems }: Schema, depth: number): unknown[] {
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
  const { enum: [listed] = [], pattern, minItems = 0, maxLength, maxItems } = full;
  const plain = [
    ...[null, 5, 'no such value', '', {}, []],
    ...(isNumber ? [1.5, (low ?? 0n) - 1n, (high ?? 0n) + 1n] : []),
    ...(listed === undefined ? [] : [`${listed}x`, `${listed}`.toUpperCase()]),
    ...(pattern || full.format ? ['a b', '!', 'é', '7', 'x'.repeat(300)] : []),
    ...(full.minLength ? ['x'.repeat(full.minLength - 1)] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
  ];
  const found = plain.map((value): [string, unknown] => [`${name} ${writeJson(value).slice(0, 40)}`, value]);
  const [valid, ...more] = depth < 4 ? validValues(spec, schema, depth) : [];
  if (Array.isArray(valid)) {
    const [first] = invalidValues(spec, full.items ?? {}, name, depth + 1);
    const lengths = [minItems - 1, (maxItems ?? 0) + 1].filter((length) => length > 0);
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
  return found.filter(([, value]) => spec.faultOf(schema, JSON.parse(writeJson(value))) !== undefined);
}
