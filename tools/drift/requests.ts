// The requests that an operation has to accept and to refuse, as the spec requires them.
import { exactJson, parseExact } from '@petstore/types';
import { differ, type Operation, type Parameter, type Report, type Schema, type Spec } from './spec.ts';
import { invalidValues, membersOf, validValues } from './values.ts';

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
  const tried = values.flatMap(([{ name }, each]) =>
    each.map((value) => ({ ...least, parameters: { ...needed, [name]: value }, tried: name })),
  );
  const bodyless = body && !body.required ? [{ parameters: needed }] : [];
  return [
    least,
    ...bodyless,
    ...tried,
    ...others.map((value) => ({ ...least, body: value })),
    { ...least, parameters: all },
  ];
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
  const [[member = '', value] = []] = Object.entries(Object(inputs.body));
  if (member) add(`${member} twice`, good.body?.replace('{', `{${exactJson(member)}:${exactJson(value)},`));
  const text = Object.entries(Object(inputs.body)).find(([, each]) => typeof each === 'string')?.[0];
  if (text) add('broken Unicode', exactJson({ ...Object(inputs.body), [text]: 'SURR' }).replace('SURR', '\\ud800'));
  const number = Object.entries(Object(inputs.body)).find(([, each]) => typeof each === 'number')?.[0];
  if (number)
    add(
      'a number that would be rounded',
      exactJson({ ...Object(inputs.body), [number]: 4711 }).replace('4711', '4711.00000000000000000001'),
    );
  const answers = membersOf(spec, operation.responses[operation.success ?? 200]?.schema as Schema).properties;
  for (const [name, schema] of Object.entries(answers)) {
    const changed = { ...Object(inputs.body), [name]: validValues(spec, schema)[0] };
    if (spec.faultOf(bodySchema, changed)) add(`the member ${name} of the answer`, exactJson(changed));
  }
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
  const scalars = invalidValues(spec, target, name).filter(([, value]) => Object(value) !== value);
  const texts = [
    ...scalars.map(([, value]) => String(value)),
    ...(type === 'integer' ? ['1e1', '5.0', '05', '+5', ' 5', '0x5'] : []),
  ];
  return new Set(texts.filter((text) => spec.faultOf(target, read(text)) !== undefined));
}

/** Reports what a request of the client contradicts. */
export function compareRequest(
  spec: Spec,
  operation: Operation,
  inputs: Inputs,
  sent: globalThis.Request,
  body: string,
  name: string,
  report: Report,
) {
  const { idempotencyKey } = operation;
  const wanted = requestOf(operation, inputs);
  const { pathname, searchParams } = new URL(sent.url);
  const sorted = (pairs: Iterable<readonly [string, string]>) => [...pairs].map(String).sort();
  differ(report, `${name}: the method`, sent.method, wanted.method);
  differ(
    report,
    `${name}: the path`,
    decodeURIComponent(pathname),
    decodeURIComponent(`${spec.basePath}${wanted.path}`),
  );
  differ(report, `${name}: the query`, sorted(searchParams), sorted(wanted.query));
  differ(report, `${name}: the body`, body && parseExact(body), wanted.body ? parseExact(wanted.body) : '');
  const key = idempotencyKey?.header.toLowerCase() ?? '';
  const others = ['accept', 'authorization', 'user-agent', key];
  const headers = [...sent.headers].filter(([header]) => !others.includes(header));
  differ(report, `${name}: the headers`, Object.fromEntries(headers), wanted.headers);
  const fault = idempotencyKey && spec.faultOf(idempotencyKey.schema as Schema, sent.headers.get(key));
  if (fault) report(`${name}: the header ${key} ${fault}`);
}
