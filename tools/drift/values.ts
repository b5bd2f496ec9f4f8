// Values for each schema: valid ones, and invalid ones with one fault each.
import type { Schema } from '@petstore/types';
// The path that ajv documents for JSON Schema 2020-12.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { printJson } from './exact-json.ts';
import { asObject, follow, isObject, type JsonObject, propertiesOf, type Spec } from './spec.ts';

/** A value with a fault. */
export interface Faulty {
  readonly what: string;
  readonly value: unknown;
}

/** The bounds of the integer formats. */
const integerBounds: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** A schema may contain itself. Below this depth, values have only the required properties. */
const MAX_DEPTH = 4;

/** Strings that programs often cut, escape, trim, fold, or take for another value. */
const awkwardStrings = [
  'Rex',
  'rex',
  'Rex 2',
  '',
  ' Rex ',
  '0',
  '007',
  'null',
  'true',
  '1e3',
  '-',
  '__proto__',
  'é',
  'e\u0301',
  'Ä"\\%&<>?#/+=;,\' 猫 \u{1F431}',
  '\u0000\n\t\u001b[31m\u2028',
  '\u202eabc',
  'x'.repeat(300),
  'y'.repeat(20_000),
];

/** Makes values for the schemas of a spec, and judges them. */
export class Values {
  readonly #spec: Spec;
  readonly #ajv = new Ajv2020({ strict: false, strictNumbers: true, logger: false });
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(spec: Spec) {
    this.#spec = spec;
    this.#ajv.addSchema({ $id: 'spec', components: asObject(spec.document.components) });
    for (const [name, [least, most]] of Object.entries(integerBounds))
      this.#ajv.addFormat(name, {
        type: 'number',
        validate: (value) => value >= Number(least) && value <= Number(most),
      });
  }

  /** What is wrong with a value; undefined if the schema allows it. */
  faultIn(schema: Schema, value: unknown): string | undefined {
    const validate = this.#validatorOf(schema);
    if (validate(withoutBigInts(value))) return undefined;
    const [error] = validate.errors ?? [];
    if (!error) return 'it is invalid';
    return `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`.trim();
  }

  /**
   * Values that the schema allows. The first one is ordinary, and has the required properties only.
   */
  valid(schema: Schema, depth = 0): unknown[] {
    const all = [
      ...this.#scalars(schema),
      ...this.#arrays(schema, depth),
      ...this.#objects(schema, depth),
    ];
    const { oneOf = [], anyOf = [] } = follow(this.#spec, schema);
    for (const part of [...oneOf, ...anyOf]) all.push(...this.valid(part, depth + 1));
    const distinct = new Map(all.map((value) => [printJson(value), value]));
    return [...distinct.values()].filter((value) => this.#allows(schema, value));
  }

  /** Values that the schema forbids. */
  invalid(schema: Schema, depth = 0): Faulty[] {
    const plain = [...this.#scalars(schema), {}, []];
    const all = plain.map((value) => ({ what: printJson(value).slice(0, 40), value }));
    if (depth < MAX_DEPTH) {
      all.push(...this.#faultyObjects(schema, depth));
      all.push(...this.#faultyArrays(schema, depth));
    }
    return all.filter(({ value }) => !this.#allows(schema, value));
  }

  #allows(schema: Schema, value: unknown): boolean {
    return this.faultIn(schema, value) === undefined;
  }

  /** The compiled schema. Its references lead into the spec, whose schemas are compiled once. */
  #validatorOf(schema: Schema): ValidateFunction {
    const text = JSON.stringify(schema, (key, value) => (key === '$ref' ? `spec${value}` : value));
    const known = this.#validators.get(text);
    if (known) return known;
    const validate = this.#ajv.compile(JSON.parse(text));
    this.#validators.set(text, validate);
    return validate;
  }

  /**
   * Valid and invalid scalars: those that the schema lists, awkward ones, and those around its
   * bounds.
   */
  #scalars(schema: Schema): unknown[] {
    const full = follow(this.#spec, schema);
    const listed = [...(full.enum ?? []), full.const, full.default];
    const named = listed.filter((value) => value !== undefined);
    const misspelt = named.flatMap((value) => [`${value}x`, `${value}`.toUpperCase()]);
    return [
      ...named,
      5,
      ...awkwardStrings,
      ...misspelt,
      ...stringsAround(full),
      ...integersAround(full),
      0.5,
      true,
      false,
      null,
    ];
  }

  #arrays(schema: Schema, depth: number): unknown[] {
    const { items, minItems = 0, maxItems } = follow(this.#spec, schema);
    if (!items) return [];
    const values = depth < MAX_DEPTH ? this.valid(items, depth + 1) : [];
    const arrayOf = (length: number) => Array.from({ length }, (_, i) => values[i % values.length]);
    const lengths = [Math.max(minItems, 1), minItems, maxItems ?? values.length];
    return values.length === 0 ? [[]] : lengths.map(arrayOf);
  }

  #objects(schema: Schema, depth: number): unknown[] {
    const { properties, required } = propertiesOf(this.#spec, schema);
    const names = Object.keys(properties).filter(
      (name) => depth < MAX_DEPTH || required.includes(name),
    );
    const values = new Map(
      names.map((name) => [name, this.valid(properties[name] ?? {}, depth + 1)]),
    );
    return combinationsOf(values, required);
  }

  #faultyObjects(schema: Schema, depth: number): Faulty[] {
    const { properties, required } = propertiesOf(this.#spec, schema);
    const [least] = this.valid(schema, depth);
    if (!isObject(least)) return [];
    const found: Faulty[] = [{ what: 'an unknown property', value: { ...least, unknownName: 1 } }];
    for (const name of required)
      found.push({ what: `no ${name}`, value: { ...least, [name]: undefined } });
    for (const [name, property] of Object.entries(properties))
      for (const { what, value } of this.invalid(property, depth + 1))
        found.push({ what: `${name} ${what}`, value: { ...least, [name]: value } });
    return found;
  }

  #faultyArrays(schema: Schema, depth: number): Faulty[] {
    const { items, minItems = 0, maxItems } = follow(this.#spec, schema);
    if (!items) return [];
    const [valid] = this.valid(items, depth + 1);
    const found = this.invalid(items, depth + 1).map(({ what, value }) => ({
      what: `the item ${what}`,
      value: [value],
    }));
    const lengths = [minItems - 1, (maxItems ?? -2) + 1].filter((length) => length >= 0);
    for (const length of lengths)
      found.push({ what: `${length} items`, value: Array(length).fill(valid) });
    return found;
  }
}

/**
 * Objects with the required names, with all names, and with the required names and one value of a
 * name each.
 */
export function combinationsOf(
  values: ReadonlyMap<string, readonly unknown[]>,
  required: readonly string[],
): [least: JsonObject, all: JsonObject, ...single: JsonObject[]] {
  const least: Record<string, unknown> = {};
  const all: Record<string, unknown> = {};
  for (const [name, [first]] of values) {
    all[name] = first;
    if (required.includes(name)) least[name] = first;
  }
  const single = [...values].flatMap(([name, each]) =>
    each.map((value) => ({ ...least, [name]: value })),
  );
  return [least, all, ...single];
}

function stringsAround({ minLength, maxLength }: Schema): string[] {
  const lengths = [minLength, maxLength].filter((length) => length !== undefined);
  const around = lengths.flatMap((length) => [length - 1, length, length + 1]);
  return around.filter((length) => length >= 0).map((length) => 'x'.repeat(length));
}

/**
 * Integers around the bounds of the schema, of its format, and of the exact integers of a double.
 */
function integersAround({ minimum, maximum, format = '' }: Schema): (number | bigint)[] {
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const exact = [
    ...bounds.map((bound) => BigInt(Math.floor(bound))),
    ...(integerBounds[format] ?? []),
  ];
  const around = [0n, 2n ** 53n, ...exact].flatMap((each) => [each - 1n, each, each + 1n]);
  return around.map((each) => {
    const number = Number(each);
    return Number.isSafeInteger(number) ? number : each;
  });
}

/**
 * The value for ajv, which knows no bigint. One of 64 bits becomes the nearest double. Any other
 * becomes infinity, which is no integer.
 */
function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint')
    return BigInt.asIntN(64, value) === value ? Number(value) : Number.POSITIVE_INFINITY;
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withoutBigInts(each)]);
  return Object.fromEntries(entries);
}
