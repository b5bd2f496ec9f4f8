import { rounds } from '@petstore/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { Location } from '../../drift/checks/breaking-changes/location.ts';
import { compareSchemas } from '../../drift/checks/breaking-changes/schemas.ts';

type Schema = Readonly<Record<string, unknown>>;

const scalars = ['a', 'b', 'ab', '', 0, 1, 2, 3, 1.5, -1, true, false, null];
const members = ['a', 'b', 1, 2, 5, true, null, {}, []];
const values: readonly unknown[] = [
  ...[...scalars, 'abc', 4, 5, 6, 2.5],
  ...[[], ['a'], ['a', 'b'], [1], [1, 2], [1, 1], ['a', 1], [null]],
  ...[{}, { c: 1 }, ...members.flatMap((one) => [{ a: one }, { b: one }, { a: one, b: 'b' }, { a: 1, b: one, c: 1 }])],
];

const upTo = (max: number) => fc.integer({ min: 0, max });
const some = <T>(arbitrary: Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });
const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'object', 'array');
const numbers = { minimum: upTo(3), maximum: upTo(5), exclusiveMinimum: upTo(3), exclusiveMaximum: upTo(6) };

/** Schemas whose keywords are about the values above. */
const { schema } = fc.letrec<{ schema: Schema; leaf: Schema; object: Schema; list: Schema; composed: Schema }>(
  (tie) => ({
    schema: fc.oneof(
      { maxDepth: 2, depthSize: 'small' },
      tie('leaf'),
      tie('leaf'),
      tie('object'),
      tie('list'),
      tie('composed'),
    ),
    leaf: fc.oneof(
      fc.record({ type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })) }),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom(...scalars), { minLength: 1, maxLength: 3 }) }),
      fc.record({ const: fc.constantFrom(...scalars) }),
      fc.record(
        { type: fc.constantFrom('integer', 'number'), ...numbers, multipleOf: fc.constantFrom(1, 2, 0.5) },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constant('string'),
          minLength: upTo(2),
          maxLength: upTo(3),
          pattern: fc.constantFrom('^a', 'b', '.*'),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { minimum: upTo(3), maxLength: upTo(2), required: fc.constant(['a']), minItems: upTo(1) },
        { requiredKeys: [] },
      ),
    ),
    object: fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
        required: fc.subarray(['a', 'b']),
        additionalProperties: tie('leaf'),
        ...{ minProperties: upTo(2), maxProperties: upTo(2) },
        dependentRequired: fc.constant({ a: ['b'] }),
        propertyNames: fc.constant({ maxLength: 0 }),
      },
      { requiredKeys: ['type'] },
    ),
    list: fc.record(
      {
        type: fc.constant('array'),
        items: tie('leaf'),
        ...{ minItems: upTo(2), maxItems: upTo(2), uniqueItems: fc.boolean() },
        prefixItems: some(tie('leaf')),
      },
      { requiredKeys: ['type'] },
    ),
    composed: fc.oneof(
      ...['anyOf', 'oneOf', 'allOf'].map((keyword) => fc.record({ [keyword]: some(tie('schema')) })),
      fc.record({ type, anyOf: some(tie('leaf')) }),
      fc.record({ not: tie('schema') }),
    ),
  }),
);

/** Two schemas, the second often the first one with another keyword. */
const pair = fc.oneof(
  fc.tuple(schema, schema),
  fc.tuple(schema, schema, fc.nat()).map(([one, other, n]): [Schema, Schema] => {
    const keyword = Object.keys(one)[n % Math.max(1, Object.keys(one).length)] ?? '';
    const { [keyword]: _, ...rest } = one;
    return [one, keyword in other ? { ...rest, [keyword]: other[keyword] } : rest];
  }),
);

const ajv = new Ajv2020({ strict: false, validateSchema: false, meta: false, code: { optimize: false } });
const document = { root: { openapi: '3.1.0', info: { title: '' } } };

function isBreak(was: Schema, is: Schema, direction: 'request' | 'response'): boolean {
  const at = new Location({ before: document, after: document, today: '', where: '', direction });
  compareSchemas(was, is, at);
  return at.changes.some(({ level }) => level === 'major');
}

const numRuns = rounds(500, 5_000);

test(`a change by which a value becomes invalid in a request, or valid in a response, is a break: ${numRuns} times`, () => {
  fc.assert(
    fc.property(pair, ([was, is]) => {
      const [isValidBefore, isValidNow] = [ajv.compile(was), ajv.compile(is)];
      const lost = values.find((value) => isValidBefore(value) && !isValidNow(value));
      if (lost !== undefined) expect([lost, isBreak(was, is, 'request')]).toEqual([lost, true]);
      // A response may get properties: clients ignore those that they do not know.
      const others = JSON.stringify([was, is]).includes('additionalProperties');
      const isCompared = (value: unknown) => !others || typeof value !== 'object' || value === null;
      const won = values.find((value) => !isValidBefore(value) && isValidNow(value) && isCompared(value));
      if (won !== undefined) expect([won, isBreak(was, is, 'response')]).toEqual([won, true]);
    }),
    { seed: 1, numRuns },
  );
});
