// The requests that an operation has to accept and to refuse, as the spec requires them.
import { exactJson, parseExact } from '@petstore/types';
import { node } from '../generate/table.ts';
import type { Operation, Parameter, Schema, Spec } from './spec.ts';
import { invalidValues, validValues } from './values.ts';

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
export function validInputs(spec: Spec, { parameters, body, bodySchema }: Operation): [Inputs, ...Inputs[]] {
  const values = parameters.map((each) => [each, valuesOf(spec, each)] as const);
  const all = Object.fromEntries(values.map(([{ name }, [first]]) => [name, first]));
  const needed = Object.fromEntries(parameters.filter((each) => each.required).map(({ name }) => [name, all[name]]));
  const [first, ...others] = bodySchema ? validValues(spec, bodySchema) : [];
  const least: Inputs = { parameters: needed, ...(bodySchema && { body: first }) };
  const trying = (tried: string, value: unknown) => ({ ...least, parameters: { ...needed, [tried]: value }, tried });
  const tried = values.flatMap(([{ name }, each]) => each.map((value) => trying(name, value)));
  const bodies = others.map((value) => ({ ...least, body: value }));
  if (body && !body.required) bodies.push({ parameters: needed, body: undefined });
  return [least, ...tried, ...bodies, { ...least, parameters: all }];
}

/** Valid values of a parameter, as far as its place can carry them. */
function valuesOf(spec: Spec, { in: place, schema }: Parameter): unknown[] {
  const possible = { query: /^./s, path: /^[^\0/]+$/, header: /^[\x21-\x7e]+$/ }[place];
  return validValues(spec, schema).filter((value) => value !== null && possible?.test(String(value)));
}

export function requestOf({ method, path, parameters }: Operation, inputs: Inputs): Request {
  const valuesIn = (place: string) =>
    parameters
      .filter((each) => each.in === place && inputs.parameters[each.name] !== undefined)
      .flatMap(({ name }) => [inputs.parameters[name]].flat().map((value): [string, string] => [name, String(value)]));
  const headers = valuesIn('header').map(([name, value]) => [name.toLowerCase(), value]);
  const hasBody = inputs.body !== undefined;
  return {
    method,
    path: path.replaceAll(/\{(.*?)\}/g, (_, name) => encodeURIComponent(String(inputs.parameters[name]))),
    query: valuesIn('query'),
    headers: { ...Object.fromEntries(headers), ...(hasBody && { 'content-type': 'application/json' }) },
    body: hasBody ? exactJson(inputs.body) : undefined,
  };
}

/** Requests that the operation refuses: each constraint broken alone. */
export function badRequests(spec: Spec, operation: Operation, inputs: Inputs): BadRequest[] {
  const { idempotencyKey: key, body, bodySchema } = operation;
  const keys = key ? [{ name: key.header, in: 'header', required: false, schema: key.schema as Schema }] : [];
  const parameters = [...operation.parameters, ...keys];
  const good = requestOf(operation, inputs);
  const unknown = [...good.query, ['unknown-parameter', '1']] as const;
  const found: BadRequest[] = [{ ...good, query: unknown, why: 'an unknown query parameter', place: 'query' }];
  for (const { name, in: place, required, schema } of parameters) {
    const add = (why: string, value: unknown) => {
      const changed = { ...inputs, parameters: { ...inputs.parameters, [name]: value } };
      found.push({ ...requestOf({ ...operation, parameters }, changed), why: `${place} ${why}`, place });
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
    found.push({ ...good, headers: { ...good.headers, 'content-type': type }, body: text, why, place });
  for (const [what, value] of invalidValues(spec, bodySchema, 'body')) add(what, exactJson(value));
  if (body.required) add('no body', undefined);
  add('a body that is no JSON', '{');
  const members = Object.entries(node(inputs.body));
  const [[member = '', value] = []] = members;
  if (member) add(`${member} twice`, good.body?.replace('{', `{${exactJson(member)}:${exactJson(value)},`));
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
function invalidTexts(spec: Spec, schema: Schema, name: string): Set<string> {
  const full = spec.follow(schema);
  const target = full.items ? spec.follow(full.items) : full;
  const type = String(target.type);
  const forms = { integer: /^-?(?:0|[1-9]\d*)$/, number: /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/, boolean: /^(?:true|false)$/ };
  const form = forms[type as keyof typeof forms];
  const read = (text: string) => (form?.test(text) ? parseExact(text) : text);
  const values = invalidValues(spec, target, name).map(([, value]) => value);
  const texts = values.filter((value) => Object(value) !== value).map(String);
  if (type === 'integer') texts.push('1e1', '5.0', '05', '+5', ' 5', '0x5');
  return new Set(texts.filter((text) => spec.faultOf(target, read(text)) !== undefined));
}
