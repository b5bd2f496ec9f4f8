import { type Operation, resolve } from '../../../openapi/document.ts';
import type { Inputs } from '../../../openapi/serialize.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import type { WireRequest } from '../../../openapi/wire.ts';
import { pathNames, type Spec } from '../../openapi.ts';
import { fullInputs, inputsFor } from '../values.ts';
import { type Call, changedBody, invalidRequests, schemaOf, unmatchedPaths } from './invalid-requests.ts';
import { type PathValues, requestFor, type Service, withHeader, withPath } from './service.ts';

/** A request for an operation, and the statuses that it may lead to. */
export interface TestRequest extends Expectation {
  /** For people. */
  readonly label: string;
  readonly request: WireRequest;
  /** It is sent while the store fails, or needs a store with versions. */
  readonly needs?: 'failing store' | 'versions';
}

interface Expectation {
  accepts(status: number): boolean;
  /** For people. */
  readonly expected: string;
}

/** The default limit of a request body. */
const BODY_LIMIT = 2 ** 20;

/** The statuses for an idempotency key that is in use, or that belongs to another request. */
const KEY_STATUSES = [409, 422];

/** The label of a valid request with a generated value of a header that makes it conditional (RFC 9110 13.1). */
const PRECONDITION = /^If-(?:None-)?Match=|^If-(?:Un)?modified-Since=/i;

/** Requests that lead an operation to each status that it declares, built from the spec alone. */
export function testRequestsFor(service: Service, operation: Operation, existing: PathValues): TestRequest[] {
  const { spec } = service;
  const full = withPath(fullInputs(spec, operation), existing);
  const build = (inputs: Inputs, key?: string) => requestFor(service, operation, inputs, key);
  const call: Call = { spec, operation, full, valid: build(full), build };
  const { valid } = call;
  const isDeclared = (status: number) => String(status) in (operation.object.responses ?? {});
  const ifDeclared = (status: number, label: string, request: WireRequest, needs?: TestRequest['needs']) =>
    isDeclared(status) ? [{ label, request, ...oneOf(status), ...(needs && { needs }) }] : [];
  // Invalid requests have no idempotency key, so they cannot lead to what an operation declares for a key.
  const isOfKey = (status: number) => operation.idempotencyKey !== undefined && KEY_STATUSES.includes(status);
  const errors = (...statuses: number[]) => statuses.filter((status) => isDeclared(status) && !isOfKey(status));
  const invalid = errors(400, 413, 415, 422);
  const isSpecific = invalid.some((one) => one !== 413 && one !== 415);
  const unmatched = missingInputs(spec, operation, full);
  return [
    ...validRequests(call, existing, isDeclared),
    ...invalidRequests(call).map((one) => ({ ...one, ...rejection(isSpecific ? invalid : [], isOfKey) })),
    ...unmatchedPaths(call).map((one) => ({ ...one, ...rejection(errors(400, 404, 422), isOfKey) })),
    ...credentialRequests(call, service.key),
    ...ifDeclared(304, 'If-None-Match: *', withHeader(valid, 'If-None-Match', '*'), 'versions'),
    ...ifDeclared(412, 'another If-Match', withHeader(valid, 'If-Match', '"no-such-version"'), 'versions'),
    ...(unmatched ? ifDeclared(404, 'an identifier that nothing has', build(unmatched)) : []),
    ...repetitions(call),
    ...(operation.body
      ? ifDeclared(413, 'a body that is too large', { ...valid, body: 'x'.repeat(BODY_LIMIT + 1) })
      : []),
    ...(operation.body
      ? ifDeclared(415, 'a body of another type', {
          ...withHeader(valid, 'Content-Type', 'application/x-unknown'),
          body: 'x',
        })
      : []),
    {
      label: 'a failing store',
      request: valid,
      accepts: (status) => isSuccess(operation, status) || status >= 500,
      expected: 'a success, or an error of the service',
      needs: 'failing store',
    },
  ];
}

const oneOf = (...statuses: number[]): Expectation => ({
  accepts: (status) => statuses.includes(status),
  expected: `status ${statuses.join(' or ')}`,
});

/** An error with one of these statuses; where there are none, any 4xx that has no other meaning. */
function rejection(statuses: readonly number[], hasOtherMeaning: (status: number) => boolean): Expectation {
  if (statuses.length > 0) return oneOf(...statuses);
  const accepts = (status: number) => status >= 400 && status < 500 && !hasOtherMeaning(status);
  return { accepts, expected: 'a status of 4xx' };
}

function validRequests(
  { spec, operation, build }: Call,
  existing: PathValues,
  isDeclared: (status: number) => boolean,
): TestRequest[] {
  // Lists are filled with bodies at their edges.
  const examples = inputsFor(spec, operation).filter(({ label }) => !label.startsWith('body '));
  return examples.map(({ label, inputs }) => {
    // A generated precondition fits its schema, but no document has that version, and it need not be an entity tag or a date.
    const unmet = PRECONDITION.test(label) ? [400, 412] : [];
    // A handler may reject a request that fits the spec, with a status of its own.
    const accepts = (status: number) =>
      isSuccess(operation, status) || (status > 403 && status < 500 && isDeclared(status)) || unmet.includes(status);
    const request = build(withPath(inputs, existing));
    return { label: `a valid request (${label})`, request, accepts, expected: 'a success' };
  });
}

/** Requests with other credentials than the accepted one. */
function credentialRequests({ spec, operation, full, valid, build }: Call, key: string): TestRequest[] {
  const { security } = operation;
  if (!security.every((all) => Object.keys(all).length > 0) || security.length === 0) return [];
  const near = [key.toUpperCase(), `${key}1`, key.slice(0, -1)];
  const anonymous = withoutCredential(spec, valid);
  const { authorization } = valid.headers;
  const [scheme = '', ...credential] = authorization?.split(' ') ?? [];
  const inScheme = (name: string) => withHeader(valid, 'Authorization', [name, ...credential].join(' '));
  // The names of schemes have no case (RFC 9110 11.1).
  const spellings = authorization === undefined ? [] : [scheme.toLowerCase(), scheme.toUpperCase()];
  const unauthorized = oneOf(401);
  return [
    { label: 'an unknown key', request: build(full, 'nobody'), ...unauthorized },
    ...near.map((other) => ({ label: `the key as ${other}`, request: build(full, other), ...unauthorized })),
    ...(anonymous ? [{ label: 'no key', request: anonymous, ...unauthorized }] : []),
    ...(spellings.length > 0
      ? [{ label: 'the key in another scheme', request: inScheme('Other'), ...unauthorized }]
      : []),
    ...spellings.map((name) => ({
      label: `the scheme ${name}`,
      request: inScheme(name),
      accepts: (status: number) => status !== 401,
      expected: 'another status than 401',
    })),
  ];
}

/** The request without what authenticates it; nothing where no header is known to do so. */
function withoutCredential({ root }: Spec, request: WireRequest): WireRequest | undefined {
  const schemes = Object.values(root.components?.securitySchemes ?? {});
  const named = schemes.map(({ in: place, name = '' }) => (place === 'header' ? name.toLowerCase() : ''));
  const headers = Object.entries(request.headers).filter(([name]) => !['authorization', ...named].includes(name));
  const isFound = headers.length < Object.keys(request.headers).length;
  return isFound ? { ...request, headers: Object.fromEntries(headers) } : undefined;
}

/** Requests with an idempotency key, in their order. Not for paths with parameters: each request would name another resource. */
function repetitions(call: Call): TestRequest[] {
  const { id, idempotencyKey, path } = call.operation;
  if (!idempotencyKey || path.includes('{')) return [];
  const withKey = (inputs: Inputs, key: string) => withHeader(call.build(inputs), idempotencyKey.name, key);
  // Operations share their keys.
  const own = `a-key-of-${id}`;
  const request = withKey(call.full, own);
  const success = { accepts: (status: number) => isSuccess(call.operation, status), expected: 'a success' };
  const other = changedBody(call);
  return [
    { label: 'a request with an idempotency key', request, ...success },
    { label: 'the same request again', request, ...success },
    ...(other ? [{ label: 'its key with another request', request: withKey(other, own), ...oneOf(422) }] : []),
    { label: 'an invalid idempotency key', request: withKey(call.full, 'two words'), ...oneOf(400) },
  ];
}

/** Whether a status is a declared success of an operation. */
export function isSuccess({ object: { responses = {} } }: Operation, status: number): boolean {
  if (status < 200 || status > 299) return false;
  const declared = Object.keys(responses);
  const names = declared.some((one) => /^2/.test(one)) ? [String(status), '2XX', '2xx'] : ['default'];
  return names.some((name) => declared.includes(name));
}

/** The same inputs, but an identifier that is valid and that nothing has; nothing where the path has no parameter. */
function missingInputs(spec: Spec, { path, parameters }: Operation, inputs: Inputs): Inputs | undefined {
  const last = pathNames(path).at(-1);
  const parameter = parameters.find(({ name, in: place }) => place === 'path' && name === last);
  if (last === undefined || !parameter) return undefined;
  const schema = schemaOf(parameter);
  const fits = valueCheck(spec);
  const candidates = [resolve(spec, schema).maximum, 999_999_999, 'nothing', '00000000-0000-4000-8000-000000000000'];
  const other = candidates.find((value) => value !== undefined && value !== inputs.path?.[last] && fits(schema, value));
  return other === undefined ? undefined : withPath(inputs, { [last]: other });
}
