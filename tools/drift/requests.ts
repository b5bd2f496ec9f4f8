// The requests that an operation has to accept and to refuse, from the valid and invalid values of its schemas.
import { exactJson, type Schema } from '@petstore/types';
import { recordOf as node } from '../generate/document.ts';
import { integers, type Operation, type Parameter, type Spec } from './spec.ts';

/** What a caller passes to an operation. */
export interface Inputs {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The parameter of which these inputs try a value. */
  readonly tried?: string;
}

/** A request without the base URL and the API key. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A request that has to be refused. */
export interface BadRequest extends Request {
  readonly why: string;
  readonly place: string;
}

/** Inputs that the operation accepts: the least, one for each value of each parameter and of the body, and all parameters. */
export function validInputs(
  spec: Spec,
  { parameters, body, bodySchema }: Operation,
): [Inputs, ...Inputs[]] {
  const values = parameters.map((each) => [each, valuesOf(spec, each)] as const);
  const all = Object.fromEntries(values.map(([{ name }, [first]]) => [name, first]));
  const needed = Object.fromEntries(
    parameters.filter((each) => each.required).map(({ name }) => [name, all[name]]),
  );
  const [first, ...others] = bodySchema ? validValues(spec, bodySchema) : [];
  const least: Inputs = { parameters: needed, ...(bodySchema && { body: first }) };
  const trying = (tried: string, value: unknown) => ({
    ...least,
    parameters: { ...needed, [tried]: value },
    tried,
  });
  const tried = values.flatMap(([{ name }, each]) => each.map((value) => trying(name, value)));
  const bodies = others.map((value) => ({ ...least, body: value }));
  if (body && !body.required) bodies.push({ parameters: needed, body: undefined });
  return [least, ...tried, ...bodies, { ...least, parameters: all }];
}

/** Valid values of a parameter, as far as its place can carry them. */
function valuesOf(spec: Spec, { in: place, schema }: Parameter): unknown[] {
  const possible = { query: /^./s, path: /^[^\0/]+$/, header: /^[\x21-\x7e]+$/ }[place];
  return validValues(spec, schema).filter(
    (value) => value !== null && possible?.test(String(value)),
  );
}

export function requestOf({ method, path, parameters }: Operation, inputs: Inputs): Request {
  const valuesIn = (place: string) =>
    parameters
      .filter((each) => each.in === place && inputs.parameters[each.name] !== undefined)
      .flatMap(({ name }) =>
        [inputs.parameters[name]].flat().map((value): [string, string] => [name, String(value)]),
      );
  const headers = valuesIn('header').map(([name, value]) => [name.toLowerCase(), value]);
  const hasBody = inputs.body !== undefined;
  return {
    method,
    path: path.replaceAll(/\{(.*?)\}/g, (_, name) =>
      encodeURIComponent(String(inputs.parameters[name])),
    ),
    query: valuesIn('query'),
    headers: {
      ...Object.fromEntries(headers),
      ...(hasBody && { 'content-type': 'application/json' }),
    },
    body: hasBody ? exactJson(inputs.body) : undefined,
  };
}

/** Requests that the operation refuses: each constraint broken alone. */
export function badRequests(spec: Spec, operation: Operation, inputs: Inputs): BadRequest[] {
  const { idempotencyKey: key, body, bodySchema } = operation;
  const keys = key ? [{ name: key.header, in: 'header', required: false, schema: key.schema }] : [];
  const parameters = [...operation.parameters, ...keys];
  const good = requestOf(operation, inputs);
  const unknown = [...good.query, ['unknown-parameter', '1']] as const;
  const found: BadRequest[] = [
    { ...good, query: unknown, why: 'an unknown query parameter', place: 'query' },
  ];
  for (const { name, in: place, required, schema } of parameters) {
    const add = (why: string, value: unknown) => {
      const changed = { ...inputs, parameters: { ...inputs.parameters, [name]: value } };
      found.push({
        ...requestOf({ ...operation, parameters }, changed),
        why: `${place} ${why}`,
        place,
      });
    };
    for (const text of invalidTexts(spec, schema, name))
      if (place === 'query' || /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text))
        add(`${name}=${text.slice(0, 40)}`, text);
    if (required && place !== 'path') add(`without ${name}`, undefined);
    const [value] = validValues(spec, schema);
    if (place === 'query' && !Array.isArray(value)) add(`with ${name} twice`, [value, value]);
  }
  if (!body || !bodySchema) return found;
  const add = (why: string, text: string | undefined, place = 'body', type = 'application/json') =>
    found.push({
      ...good,
      headers: { ...good.headers, 'content-type': type },
      body: text,
      why,
      place,
    });
  for (const [what, value] of invalidValues(spec, bodySchema, 'body')) add(what, exactJson(value));
  if (body.required) add('no body', undefined);
  add('a body that is no JSON', '{');
  const members = Object.entries(node(inputs.body));
  const [[member = '', value] = []] = members;
  if (member)
    add(`${member} twice`, good.body?.replace('{', `{${exactJson(member)}:${exactJson(value)},`));
  const memberOf = (type: string) => members.find(([, each]) => typeof each === type)?.[0];
  const [text, number] = [memberOf('string'), memberOf('number')];
  const changed = (name: string, json: string) =>
    exactJson({ ...node(inputs.body), [name]: 4711 }).replace('4711', json);
  if (text) add('broken Unicode', changed(text, '"\\ud800"'));
  if (number) add('a number that would be rounded', changed(number, '4711.00000000000000000001'));
  add('a body as merge-patch', good.body, 'type', 'application/merge-patch+json');
  add('a body as text/plain', good.body, 'type', 'text/plain');
  add('a body of 2 MiB', `${good.body}${' '.repeat(2 ** 21)}`, 'size');
  return found;
}

/** Texts of a parameter that the schema forbids. */
function invalidTexts(spec: Spec, schema: Schema, name: string): string[] {
  const full = spec.follow(schema);
  const target = full.items ? spec.follow(full.items) : full;
  const isRead = (text: string) =>
    target.type !== 'string' && /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(text);
  const values = invalidValues(spec, target, name).map(([, value]) => value);
  const texts = new Set(values.filter((value) => Object(value) !== value).map(String));
  const found = [...texts].filter((text) =>
    spec.faultOf(target, isRead(text) ? JSON.parse(text) : text),
  );
  return target.type === 'integer' ? [...found, '1e1', '5.0', '05', '+5', ' 5', '0x5'] : found;
}

/** The members of an object schema, those of its `allOf` included. */
export function membersOf(
  spec: Spec,
  schema?: Schema,
): { properties: Record<string, Schema>; required: string[] } {
  const { properties, required = [], allOf = [] } = spec.follow(schema);
  const parts = [...allOf.map((part) => membersOf(spec, part)), { properties, required }];
  const all = Object.assign({}, ...parts.map((part) => part.properties));
  return { properties: all, required: parts.flatMap((part) => part.required) };
}

/** Values that the schema allows: its bounds, each enum value, each optional member. The first is an ordinary one. */
export function validValues(spec: Spec, schema: Schema, depth = 0): unknown[] {
  const full = spec.follow(schema);
  const { oneOf = [], anyOf = [] } = full;
  const ofParts = [...oneOf, ...anyOf].flatMap((part) => validValues(spec, part, depth + 1));
  const candidates = [
    ...ofParts,
    ...scalarsOf(full),
    ...arraysOf(spec, full, depth),
    ...objectsOf(spec, full, depth),
  ];
  const distinct = new Map(candidates.map((value) => [exactJson(value), value]));
  return [...distinct.values()].filter((value) => spec.faultOf(schema, value) === undefined);
}

/** Scalars, whether a schema allows them or not: what it lists, ordinary ones, and those at and beside its limits. */
function scalarsOf(schema: Schema): unknown[] {
  const {
    enum: listed = [],
    const: only,
    default: usual,
    format = '',
    minLength = 0,
    maxLength = 0,
  } = schema;
  const named = [...listed, only, usual, node(schema).example].filter((each) => each !== undefined);
  const limits = Object.values(schema).filter((each) => typeof each === 'number');
  const whole = [
    ...limits.map((each) => BigInt(Math.floor(each))),
    ...(integers[format] ?? []),
    2n ** 53n,
  ];
  const beside = whole.flatMap((each) => [each, each - 1n, each + 1n]);
  const numbers = beside.map((each) => (Number.isSafeInteger(Number(each)) ? Number(each) : each));
  const lengths = [minLength, maxLength, 1000].map((length) => 'x'.repeat(length));
  const texts = [
    ...lengths.flatMap((each) => [each, `${each}x`, each.slice(1)]),
    ...listed.flatMap((each) => [`${each}x`, `${each}`.toUpperCase()]),
  ];
  const words = [
    'Rex',
    'X',
    '0',
    '12345',
    'ABC-1',
    'a b',
    ' Rex ',
    '!',
    'é',
    'a\u0000\nb',
    'Ä"\\%&<>?#/ \u{1F431}',
  ];
  return [
    ...named,
    5,
    'Rex',
    ...limits,
    ...numbers,
    0,
    0.5,
    1.5,
    ...words,
    ...texts,
    true,
    false,
    null,
  ];
}

function arraysOf(
  spec: Spec,
  { items, minItems = 1, maxItems = minItems }: Schema,
  depth: number,
): unknown[] {
  // A schema that contains itself ends with an empty array, or with the members that it requires.
  const values = items && depth < 4 ? validValues(spec, items, depth + 1) : [];
  const filled = (length: number) => Array.from({ length }, (_, i) => values[i % values.length]);
  return values.length > 0 ? [filled(Math.max(minItems, 1)), [], values, filled(maxItems)] : [[]];
}

function objectsOf(spec: Spec, schema: Schema, depth: number): unknown[] {
  const { properties, required } = membersOf(spec, schema);
  const others = node(schema.additionalProperties) === schema.additionalProperties;
  const members = {
    ...properties,
    ...(others && { another: schema.additionalProperties as Schema }),
  };
  const values = Object.entries(members)
    .filter(([name]) => depth < 4 || required.includes(name))
    .map(([name, member]) => [name, validValues(spec, member, depth + 1)] as const);
  const all = Object.fromEntries(values.map(([name, [first]]) => [name, first]));
  const least = Object.fromEntries(Object.entries(all).filter(([name]) => required.includes(name)));
  return [
    least,
    all,
    ...values.flatMap(([name, each]) => each.map((value) => ({ ...least, [name]: value }))),
  ];
}

/** Values with one fault each, and what the fault is. */
export function invalidValues(
  spec: Spec,
  schema: Schema,
  name: string,
  depth = 0,
): [what: string, value: unknown][] {
  const full = spec.follow(schema);
  const { minItems = 0, maxItems = 0 } = full;
  const plain = [...scalarsOf(full), {}, []];
  const found = plain.map((value): [string, unknown] => [
    `${name} ${exactJson(value).slice(0, 40)}`,
    value,
  ]);
  const [valid, ...more] = depth < 4 ? validValues(spec, schema, depth) : [];
  if (Array.isArray(valid)) {
    const [first] = invalidValues(spec, full.items ?? {}, name, depth + 1);
    const lengths = [minItems - 1, maxItems + 1].filter((length) => length > 0);
    if (first) found.push([`${name} with the item ${first[0]}`, [first[1]]]);
    for (const length of lengths)
      found.push([`${name} of ${length} items`, Array(length).fill(valid[0])]);
  } else if (Object(valid) === valid) {
    const { properties, required } = membersOf(spec, schema);
    const [full] = [...more, valid].sort(
      (a, b) => Object.keys(Object(b)).length - Object.keys(Object(a)).length,
    );
    for (const member of required)
      found.push([`${name} without ${member}`, { ...Object(full), [member]: undefined }]);
    found.push([`${name} with an unknown member`, { ...Object(valid), unknownMember: 1 }]);
    for (const [member, property] of Object.entries(properties))
      for (const [what, value] of invalidValues(spec, property, `${name}.${member}`, depth + 1))
        found.push([what, { ...Object(valid), [member]: value }]);
  }
  return found.filter(([, value]) => spec.faultOf(schema, value) !== undefined);
}
