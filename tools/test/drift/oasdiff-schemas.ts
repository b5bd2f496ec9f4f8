import type { Part } from './breaking-specs.ts';

/** What a check of oasdiff is about: two objects of one part of a spec, and the rule that finds the change here. */
export type Example = readonly [part: Part, before: object, after: object, rule: string];

/** The rule where a change breaks nobody, and needs no announcement. */
export const silent = 'nothing';

export const text = { type: 'string' };
export const property = (schema: object, more: object = {}) => ({ properties: { p: schema }, ...more });
export const writeOnly = { ...text, writeOnly: true };
export const required = { required: ['p'] };

/** The places of schemas, by how the names of checks begin. */
const places: Record<string, (schema: object) => [part: Part, object: object]> = {
  'request-body': (schema) => ['request schema', schema],
  'request-property': (schema) => ['request schema', property(schema)],
  'request-parameter': (schema) => ['parameter', { schema }],
  'request-parameter-property': (schema) => ['parameter', { style: 'deepObject', schema: property(schema) }],
  'request-header-property': (schema) => ['parameter', { in: 'header', schema: property(schema) }],
  'request-read-only-property': (schema) => ['request schema', property({ ...schema, readOnly: true })],
  'response-body': (schema) => ['response schema', schema],
  'response-mediatype': (schema) => ['response schema', schema],
  'response-property': (schema) => ['response schema', property(schema)],
  'response-write-only-property': (schema) => ['response schema', property({ ...schema, writeOnly: true })],
  'response-header': (schema) => ['header', { schema }],
};

const number = { type: 'number' };
const a = { const: 'a' };
const either = (...types: string[]) => types.map((type) => ({ type }));

/** What is added, removed and changed in schemas: without it, with it, with another one, and the rule's name here. */
const parts: Record<string, readonly [without: object, one: object, other: object, rule: string]> = {
  const: [{}, a, { const: 'b' }, 'enum'],
  contains: [{}, { contains: a }, {}, 'contains'],
  'content-encoding': [{}, { contentEncoding: 'base64' }, { contentEncoding: 'base64url' }, 'contentEncoding'],
  'content-media-type': [{}, { contentMediaType: 'image/png' }, { contentMediaType: 'image/gif' }, 'contentMediaType'],
  'content-schema': [{}, { contentSchema: a }, {}, 'contentSchema'],
  'default-value': [{}, { default: 'a' }, { default: 'b' }, 'default changed'],
  'dependent-required': [
    {},
    { dependentRequired: { a: ['b'] } },
    { dependentRequired: { a: ['c'] } },
    'dependentRequired',
  ],
  'dependent-schema': [{}, { dependentSchemas: { a: { required: ['b'] } } }, {}, 'dependentSchemas'],
  'discriminator-mapping': [
    { discriminator: { propertyName: 'a', mapping: {} } },
    { discriminator: { propertyName: 'a', mapping: { x: 'A' } } },
    { discriminator: { propertyName: 'a', mapping: { x: 'B' } } },
    'discriminator',
  ],
  'discriminator-property-name': [
    {},
    { discriminator: { propertyName: 'a' } },
    { discriminator: { propertyName: 'b' } },
    'discriminator',
  ],
  discriminator: [{}, { discriminator: { propertyName: 'a' } }, {}, 'discriminator'],
  'enum-value': [{ enum: ['a'] }, { enum: ['a', 'b'] }, {}, 'enum'],
  'x-extensible-enum-value': [
    { 'x-extensible-enum': ['a'] },
    { 'x-extensible-enum': ['a', 'b'] },
    {},
    'no rule for x-extensible-enum',
  ],
  ...Object.fromEntries(
    ['if', 'else', 'then'].map((keyword) => [keyword, [{}, { [keyword]: a }, {}, keyword] as const]),
  ),
  pattern: [{}, { pattern: '^a' }, { pattern: '^b' }, 'pattern'],
  'pattern-property': [{}, { patternProperties: { '^a': text } }, {}, 'patternProperties'],
  'prefix-items': [{ items: false }, { prefixItems: [text], items: false }, {}, 'schema'],
  'property-names': [{}, { propertyNames: { maxLength: 9 } }, {}, 'propertyNames'],
  'unevaluated-items': [{}, { unevaluatedItems: false }, {}, 'unevaluatedItems'],
  'unevaluated-properties': [{}, { unevaluatedProperties: false }, {}, 'unevaluatedProperties'],
  'all-of': [text, { ...text, allOf: [{ maxLength: 9 }] }, {}, 'bound'],
  'any-of': [
    { anyOf: either('string', 'boolean') },
    { anyOf: either('string', 'boolean', 'array') },
    {},
    'alternatives',
  ],
  'one-of': [
    { oneOf: either('string', 'boolean') },
    { oneOf: either('string', 'boolean', 'array') },
    {},
    'alternatives',
  ],
};

/** Other changes of schemas. */
const schemas: Record<string, readonly [before: object, after: object, rule: string]> = {
  'all-of-added-annotation-only': [text, { allOf: [text, { description: 'a' }] }, silent],
  'all-of-removed-annotation-only': [{ allOf: [text, { description: 'a' }] }, text, silent],
  'became-enum': [text, { enum: ['a'] }, 'enum'],
  'became-nullable': [text, { type: ['string', 'null'] }, 'type changed'],
  'became-not-nullable': [{ type: ['string', 'null'] }, text, 'type changed'],
  'list-of-types-narrowed': [{ type: ['string', 'number'] }, text, 'type changed'],
  'list-of-types-widened': [text, { type: ['string', 'number'] }, 'type changed'],
  'type-changed': [text, number, 'type changed'],
  'type-generalized': [{ type: 'integer' }, number, 'type changed'],
  'type-specialized': [number, { type: 'integer' }, 'type changed'],
  // The same, written another way.
  'type-compatible': [{ type: 'integer' }, { type: ['integer'] }, silent],
  'pattern-generalized': [{ pattern: '^a' }, { pattern: '.*' }, 'pattern'],
  'wrapped-in-one-of': [text, { oneOf: [{ ...text, maxLength: 9 }, { type: 'boolean' }] }, 'alternatives'],
  deprecated: [text, { ...text, deprecated: true }, 'deprecated'],
  'deprecated-with-sunset': [text, { ...text, deprecated: true, 'x-sunset': '2031-01-01' }, 'deprecated'],
  reactivated: [{ ...text, deprecated: true }, text, 'no longer deprecated'],
  'stability-decreased': [
    { 'x-stability-level': 'beta' },
    { 'x-stability-level': 'alpha' },
    'no rule for x-stability-level',
  ],
  'stability-increased': [
    { 'x-stability-level': 'beta' },
    { 'x-stability-level': 'stable' },
    'no rule for x-stability-level',
  ],
};

const bounds: Record<string, string> = {
  max: 'maximum',
  min: 'minimum',
  'exclusive-max': 'exclusiveMaximum',
  'exclusive-min': 'exclusiveMinimum',
};
const camelCase = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The example of a check about properties that are sent one way. */
export function exampleOfProperty(id: string): Example | undefined {
  const [, direction, presence, writeOnly, change] =
    /^(request|response)-(required|optional)-(write-only-)?property-(added|removed|became-.*)$/.exec(id) ?? [];
  if (!direction || !change) return undefined;
  const beside = presence === 'required' ? required : {};
  const schema = writeOnly ? { ...text, writeOnly: true } : text;
  const objects = { with: property(schema, beside), without: {} };
  const part: Part = `${direction as 'request' | 'response'} schema`;
  if (change === 'added')
    return [part, objects.without, objects.with, writeOnly ? silent : `${direction} property added`];
  if (change === 'removed')
    return [part, objects.with, objects.without, writeOnly ? silent : `${direction} property removed`];
  const keyword = change.endsWith('read-only') ? 'readOnly' : 'writeOnly';
  const both = [property(text, beside), property({ ...text, [keyword]: true }, beside)] as const;
  const isGone = keyword === (direction === 'request' ? 'readOnly' : 'writeOnly');
  const [before, after] = change.includes('not') ? both.toReversed() : both;
  const back = direction === 'request' && presence === 'required' ? 'newly required' : 'added';
  return [
    part,
    before ?? {},
    after ?? {},
    isGone ? `${direction} property ${change.includes('not') ? back : 'removed'}` : silent,
  ];
}

/** The example of a check about schemas: the place and the change are in its name. */
export function exampleOfSchema(id: string): Example | undefined {
  const place = Object.keys(places)
    .filter((one) => id.startsWith(`${one}-`))
    .sort((one, other) => other.length - one.length)[0];
  if (place === undefined) return undefined;
  const change = id.slice(place.length + 1);
  const found = schemas[change] ?? boundChanged(change) ?? partChanged(change);
  if (!found) return undefined;
  const [before, after, rule] = found;
  const [part, was] = places[place]?.(before) ?? [];
  const [, is] = places[place]?.(after) ?? [];
  const isUnsent = /read-only|write-only/.test(place);
  return part && was && is ? [part, was, is, isUnsent ? silent : rule] : undefined;
}

function boundChanged(change: string): readonly [object, object, string] | undefined {
  const [, name = '', how = ''] =
    /^((?:exclusive-)?(?:max|min)(?:-length|-items|-contains)?)-(set|unset|increased|decreased)$/.exec(change) ?? [];
  const [from, to] = { set: [undefined, 5], unset: [5, undefined], increased: [5, 9], decreased: [9, 5] }[how] ?? [];
  const keyword = bounds[name] ?? camelCase(name);
  const beside = name.endsWith('-contains') ? { contains: {} } : {};
  return how ? [{ ...beside, [keyword]: from }, { ...beside, [keyword]: to }, 'bound'] : undefined;
}

function partChanged(change: string): readonly [object, object, string] | undefined {
  const [, name = '', how] = /^(.*)-(added|removed|deleted|changed)$/.exec(change) ?? [];
  const [without, one, other, rule] = parts[name] ?? [];
  if (!without || !one || !other || !rule) return undefined;
  if (how === 'changed') return [one, other, rule];
  return how === 'added' ? [without, one, rule] : [one, without, rule];
}
