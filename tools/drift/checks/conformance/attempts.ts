import { isJson } from '../../../openapi/body.ts';
import { type Operation, type Parameter, resolve, type Schema } from '../../../openapi/document.ts';
import type { Example } from '../../../openapi/examples.ts';
import { type Credentials, exampleCredentials } from '../../../openapi/security.ts';
import { expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import { encodeAll, UnspecifiedError } from '../../../openapi/styles.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import { type WireRequest, wireRequest } from '../../../openapi/wire.ts';
import { isNode, type Spec } from '../../openapi.ts';
import { inputsFor } from '../values.ts';

/** A request for an operation, and the statuses that it may lead to. */
export interface Attempt {
  /** What is sent, for people. */
  readonly what: string;
  readonly request: WireRequest;
  readonly accepts: (status: number) => boolean;
  /** What the status should have been, for people. */
  readonly expected: string;
  /** It is sent while the store fails. */
  readonly needsFailingStore?: true;
  /** It is about a version of what is stored, which not every store has. */
  readonly needsVersions?: true;
}

/** Values for the parameters of a path: what is there. */
export type PathValues = Readonly<Record<string, unknown>>;

/** The bytes that a body may have by default. */
const BODY_LIMIT = 2 ** 20;

/** What an operation with an idempotency key declares for a key that is in use, or that belongs to another request. */
const KEY_STATUSES = [409, 422];

/** The label of a valid request with a generated value of a header that makes it conditional (RFC 9110 13.1). */
const PRECONDITION = /^If-(?:None-)?Match=|^If-(?:Un)?modified-Since=/i;

/** A credential for each security scheme, all made from the same key. */
export function credentialsFor(spec: Spec, key: string): Credentials {
  const examples = Object.entries(exampleCredentials(spec));
  return Object.fromEntries(
    examples.map(([name, one]) => [name, typeof one === 'string' ? key : { username: 'check', password: key }]),
  );
}

/** The requests that bring an operation to what it declares, made from the spec alone. */
export function attemptsFor(spec: Spec, operation: Operation, key: string, existing: PathValues): Attempt[] {
  const declares = (status: string) => status in (operation.object.responses ?? {});
  const credentials = credentialsFor(spec, key);
  // Bodies at their edges are what lists are filled with.
  const given = inputsFor(spec, operation).filter(({ label }) => !label.startsWith('body '));
  const examples = given.map((example) => at(example, existing));
  const build = (inputs: Inputs, given = credentials) =>
    wireRequest(expectedRequest(spec, operation.id, inputs, given));
  const full = examples.find(({ label }) => label === 'all')?.inputs ?? {};
  const valid = build(full);
  const attempts: Attempt[] = [];
  const wants = (status: number, what: string, request: WireRequest, more: Partial<Attempt> = {}) => {
    if (declares(String(status)))
      attempts.push({ what, request, accepts: (sent) => sent === status, expected: `it is ${status}`, ...more });
  };

  for (const { label, inputs } of examples) {
    // A generated precondition fits its schema, but no document has that version, and it need not be an entity tag or a date.
    const refusals = PRECONDITION.test(label) ? [400, 412] : [];
    // What a valid request lacks beside its form, a handler says with a status of its own.
    const accepts = (status: number) =>
      isSuccess(operation, status) ||
      (status > 403 && status < 500 && declares(String(status))) ||
      refusals.includes(status);
    attempts.push({ what: `a valid request (${label})`, request: build(inputs), accepts, expected: 'it is a success' });
  }
  // These requests have no idempotency key, so they cannot lead to what an operation declares for a key.
  const isOfKey = (status: number) => operation.idempotencyKey !== undefined && KEY_STATUSES.includes(status);
  const refusals = [400, 413, 415, 422].filter((status) => declares(String(status)) && !isOfKey(status));
  for (const [what, request] of invalidRequests(spec, operation, full, build))
    attempts.push({
      what,
      request,
      ...refusedWith(refusals.some((one) => one !== 413 && one !== 415) ? refusals : [], isOfKey),
    });
  const missed = [400, 404, 422].filter((status) => declares(String(status)) && !isOfKey(status));
  for (const [what, request] of impossiblePaths(spec, operation, full, build))
    attempts.push({ what, request, ...refusedWith(missed, isOfKey) });
  if (needsCredential(operation)) {
    const accepts = (status: number) => status === 401;
    const unknown = build(full, credentialsFor(spec, 'nobody'));
    const expected = 'it is 401';
    attempts.push({ what: 'an unknown key', request: unknown, accepts, expected });
    for (const near of [key.toUpperCase(), `${key}1`, key.slice(0, -1)])
      attempts.push({
        what: `the key as ${near}`,
        request: build(full, credentialsFor(spec, near)),
        accepts,
        expected,
      });
    const none = withoutCredential(spec, valid);
    if (none) attempts.push({ what: 'no key', request: none, accepts, expected });
    const { authorization } = valid.headers;
    if (authorization !== undefined) {
      const [scheme = '', ...credential] = authorization.split(' ');
      const written = (name: string) => withHeader(valid, 'authorization', [name, ...credential].join(' '));
      attempts.push({ what: 'the key in another scheme', request: written('Other'), accepts, expected });
      // The names of schemes have no case (RFC 9110 11.1).
      for (const name of [scheme.toLowerCase(), scheme.toUpperCase()])
        attempts.push({
          what: `the scheme ${name}`,
          request: written(name),
          accepts: (status) => status !== 401,
          expected: 'it is not 401',
        });
    }
  }
  wants(304, 'If-None-Match: *', withHeader(valid, 'if-none-match', '*'), { needsVersions: true });
  wants(412, 'another If-Match', withHeader(valid, 'if-match', '"no-such-version"'), { needsVersions: true });
  const missing = inputsOfNothing(spec, operation, full);
  if (missing) wants(404, 'an identifier that nothing has', build(missing));
  attempts.push(...repetitions(spec, operation, full, build));
  if (operation.body) {
    wants(413, 'a body that is too large', { ...valid, body: 'x'.repeat(BODY_LIMIT + 1) });
    wants(415, 'a body of another type', { ...withHeader(valid, 'content-type', 'application/x-unknown'), body: 'x' });
  }
  const accepts = (status: number) => isSuccess(operation, status) || status >= 500;
  const expected = 'it is a success, or a failure of the service';
  attempts.push({ what: 'a failing store', request: valid, accepts, expected, needsFailingStore: true });
  return attempts;
}

/** A refusal with one of these statuses; where there are none, with any 4xx that has no other meaning. */
function refusedWith(
  statuses: readonly number[],
  hasOtherMeaning: (status: number) => boolean,
): Pick<Attempt, 'accepts' | 'expected'> {
  if (statuses.length === 0)
    return {
      accepts: (status) => status >= 400 && status < 500 && !hasOtherMeaning(status),
      expected: 'it is refused',
    };
  return { accepts: (status) => statuses.includes(status), expected: `it is ${statuses.join(' or ')}` };
}

/** Requests whose path has a value that its parameter does not allow. */
function impossiblePaths(spec: Spec, operation: Operation, full: Inputs, build: Build): [string, WireRequest][] {
  const fits = valueCheck(spec);
  return operation.parameters
    .filter(({ in: place }) => place === 'path')
    .flatMap((parameter) => {
      const { minimum, maximum } = resolve(spec, schemaOf(parameter));
      const beside = [
        minimum === undefined ? minimum : BigInt(minimum) - 1n,
        maximum === undefined ? maximum : BigInt(maximum) + 1n,
      ];
      const wrong = ['no such value', 0.5, ...beside].filter(
        (value) => value !== undefined && (typeof value === 'bigint' || !fits(schemaOf(parameter), value)),
      );
      // A text fits what takes any text.
      if (fits(schemaOf(parameter), 'no such value')) return [];
      return wrong.flatMap((value): [string, WireRequest][] => {
        const request = built(build, full, 'path', parameter.name, typeof value === 'bigint' ? String(value) : value);
        return request ? [[`the ${parameter.name} ${value}`, request]] : [];
      });
    });
}

/** Requests with an idempotency key, in their order. What a path names may be another thing the next time. */
function repetitions(spec: Spec, operation: Operation, full: Inputs, build: Build): Attempt[] {
  const { id, idempotencyKey, path } = operation;
  if (!idempotencyKey || path.includes('{')) return [];
  // Operations share their keys.
  const own = `a-key-of-${id}`;
  const keyed = (inputs: Inputs, key: string) => withHeader(build(inputs), idempotencyKey.name.toLowerCase(), key);
  const refusal = (wanted: number) => ({ accepts: (status: number) => status === wanted, expected: `it is ${wanted}` });
  const success = { accepts: (status: number) => isSuccess(operation, status), expected: 'it is a success' };
  const request = keyed(full, own);
  const schema = operation.body?.content[full.contentType ?? '']?.schema;
  const fits = valueCheck(spec);
  const body = schema && invalidValues(full.body).find((value) => fits(schema, value));
  const other = body !== undefined && keyed({ ...full, body }, own);
  return [
    { what: 'a request with an idempotency key', request, ...success },
    { what: 'the same request again', request, ...success },
    ...(other ? [{ what: 'its key with another request', request: other, ...refusal(422) }] : []),
    { what: 'an invalid idempotency key', request: keyed(full, 'two words'), ...refusal(400) },
  ];
}

/** Whether a status is a declared success of an operation. */
export function isSuccess({ object: { responses = {} } }: Operation, status: number): boolean {
  if (status < 200 || status > 299) return false;
  const declared = Object.keys(responses);
  const names = declared.some((one) => /^2/.test(one)) ? [String(status), '2XX', '2xx'] : ['default'];
  return names.some((name) => declared.includes(name));
}

function at({ label, inputs }: Example, existing: PathValues): Example {
  return inputs.path ? { label, inputs: { ...inputs, path: { ...inputs.path, ...existing } } } : { label, inputs };
}

function needsCredential({ security }: Operation): boolean {
  return security.length > 0 && security.every((all) => Object.keys(all).length > 0);
}

/** The request without what authenticates it; nothing where that cannot be told from the rest. */
function withoutCredential({ root }: Spec, request: WireRequest): WireRequest | undefined {
  const schemes = Object.values(root.components?.securitySchemes ?? {});
  const names = [
    'authorization',
    ...schemes.map(({ in: place, name = '' }) => (place === 'header' ? name.toLowerCase() : '')),
  ];
  const headers = Object.entries(request.headers).filter(([name]) => !names.includes(name));
  return headers.length < Object.keys(request.headers).length
    ? { ...request, headers: Object.fromEntries(headers) }
    : undefined;
}

function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, headers: { ...request.headers, [name]: value } };
}

/** The same inputs, but an identifier that is valid and that nothing has; nothing where the path has no parameter. */
function inputsOfNothing(spec: Spec, { path, parameters }: Operation, inputs: Inputs): Inputs | undefined {
  const last = [...path.matchAll(/\{([^}]+)\}/g)].at(-1)?.[1];
  const parameter = parameters.find(({ name, in: place }) => place === 'path' && name === last);
  if (last === undefined || !parameter) return undefined;
  const schema = schemaOf(parameter);
  const fits = valueCheck(spec);
  const candidates = [resolve(spec, schema).maximum, 999_999_999, 'nothing', '00000000-0000-4000-8000-000000000000'];
  const other = candidates.find((value) => value !== undefined && value !== inputs.path?.[last] && fits(schema, value));
  return other === undefined ? undefined : { ...inputs, path: { ...inputs.path, [last]: other } };
}

type Build = (inputs: Inputs) => WireRequest;

/** Requests that the spec does not allow, each with one fault. */
function invalidRequests(spec: Spec, operation: Operation, full: Inputs, build: Build): [string, WireRequest][] {
  const valid = build(full);
  const mark = valid.target.includes('?') ? '&' : '?';
  const found: [string, WireRequest][] = [
    ['an unknown parameter', { ...valid, target: `${valid.target}${mark}no-such-parameter=1` }],
  ];
  const fits = valueCheck(spec);
  for (const parameter of operation.parameters.filter(({ in: place }) => place === 'query' || place === 'header')) {
    const { in: place, name, required } = parameter;
    const wrong = ['no such value', ['no such value']].find((value) => !fits(schemaOf(parameter), value));
    const isText = fits(schemaOf(parameter), 'no such value');
    const request = wrong === undefined || isText ? undefined : built(build, full, place, name, wrong);
    if (request) found.push([`an invalid ${name}`, request]);
    if (required) found.push([`no ${name}`, without(valid, parameter)]);
  }
  if (!operation.body) return found;
  const type = valid.headers['content-type'] ?? '';
  // As text or bytes, nothing is a value too.
  if (operation.body.required && /json|form/.test(type)) {
    const { body: _, ...rest } = valid;
    found.push(['no body', rest]);
  }
  if (!isJson(type)) return found;
  found.push(['a body that is no JSON', { ...valid, body: '{' }]);
  const schema = operation.body.content[type]?.schema ?? {};
  for (const value of invalidValues(full.body)
    .filter((one) => !fits(schema, one))
    .slice(0, 6))
    found.push([`the body ${JSON.stringify(value).slice(0, 60)}`, { ...valid, body: JSON.stringify(value) }]);
  return found;
}

function built(build: Build, full: Inputs, place: Parameter['in'], name: string, value: unknown) {
  try {
    return build({ ...full, [place]: { ...full[place], [name]: value } });
  } catch (error) {
    // A style cannot write every value.
    if (error instanceof UnspecifiedError) return undefined;
    throw error;
  }
}

function without(request: WireRequest, { in: place, name }: Parameter): WireRequest {
  if (place === 'header') {
    const { [name.toLowerCase()]: _, ...headers } = request.headers;
    return { ...request, headers };
  }
  const [path = '', query = ''] = request.target.split('?');
  const isOther = (pair: string) => ![encodeAll(name), `${encodeAll(name)}%5B`].some((one) => pair.startsWith(one));
  return { ...request, target: `${path}?${query.split('&').filter(isOther).join('&')}` };
}

const wrongValues = [null, true, 0.5, 'no such value', [], {}, [null]];

/** Values near a valid one, of which some may be valid too. */
function invalidValues(valid: unknown): unknown[] {
  if (!isNode(valid)) return wrongValues;
  const entries = Object.entries(valid);
  return [
    ...entries.map(([name]) => Object.fromEntries(entries.filter(([other]) => other !== name))),
    { ...valid, 'no-such-property': 1 },
    ...entries.flatMap(([name]) => wrongValues.map((value) => ({ ...valid, [name]: value }))),
    ...wrongValues,
  ];
}

function schemaOf({ schema, content = {} }: Parameter): Schema {
  return schema ?? Object.values(content)[0]?.schema ?? {};
}
