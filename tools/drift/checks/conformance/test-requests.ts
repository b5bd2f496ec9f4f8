import { type Operation, resolve } from '../../../openapi/document.ts';
import { expectedRequest, type Inputs, type WireRequest, wireRequest } from '../../../openapi/serialize.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import { pathNames, type Spec } from '../../openapi.ts';
import { fullInputs, inputsFor } from '../values.ts';
import { type Call, changedBody, invalidRequests, requestsWithInvalid, schemaOf } from './invalid-requests.ts';
import { type PathValues, requestFor, type Service, withHeader, withPath } from './service.ts';

/** A request for an operation, and the statuses that the server may respond with. */
export interface TestRequest extends Expectation {
  /** The end of `the response to …` in a finding. */
  readonly label: string;
  readonly request: WireRequest;
  /** Whether the store fails during the request. */
  readonly withFailingStore?: true;
}

interface Expectation {
  accepts(status: number): boolean;
  /** The accepted statuses, as a finding names them. */
  readonly expected: string;
}

/** The default limit of a request body. */
const BODY_LIMIT = 2 ** 20;

/** The statuses for an idempotency key that is in use, or that was sent with another request. */
const IDEMPOTENCY_KEY_STATUSES = [409, 422];

/** Matches the label of a request with a generated precondition header (RFC 9110 13.1). */
const PRECONDITION = /^If-(?:None-)?Match=|^If-(?:Un)?modified-Since=/i;

/** Requests for each status that an operation declares, built from the spec alone. */
export function* testRequestsFor(service: Service, operation: Operation, existing: PathValues): Generator<TestRequest> {
  const { spec } = service;
  const allInputs = withPath(fullInputs(spec, operation), existing);
  const build = (inputs: Inputs, apiKey?: string) => requestFor(service, operation, inputs, apiKey);
  const call: Call = { spec, operation, allInputs, validRequest: build(allInputs), build };
  const { validRequest } = call;
  yield* validRequests(call, existing);
  for (const invalid of invalidRequests(call)) yield { ...invalid, ...rejection(operation, 400, 413, 415, 422) };
  for (const invalid of requestsWithInvalid(call, ['path']))
    yield { ...invalid, ...rejection(operation, 400, 404, 422) };
  yield* credentialRequests(call, service.apiKey);
  yield* idempotencyKeyRequests(call);

  const withAnyTag = withHeader(validRequest, 'If-None-Match', '*');
  const withUnknownTag = withHeader(validRequest, 'If-Match', '"no-such-version"');
  const withUnknownType = { ...withHeader(validRequest, 'Content-Type', 'application/x-unknown'), body: 'x' };
  const tooLarge = { ...validRequest, body: 'x'.repeat(BODY_LIMIT + 1) };
  const inputsOfMissing = inputsOfMissingResource(spec, operation, allInputs);
  const requests: [status: number, label: string, request: WireRequest | undefined][] = [
    [304, 'If-None-Match: *', withAnyTag],
    [412, 'another If-Match', withUnknownTag],
    [404, 'the identifier of no resource', inputsOfMissing && build(inputsOfMissing)],
    [413, 'a body that is too large', operation.body && tooLarge],
    [415, 'a body of another type', operation.body && withUnknownType],
  ];
  for (const [status, label, request] of requests)
    if (request && isDeclared(operation, status)) yield { label, request, ...oneOf(status) };
  yield {
    label: 'a failing store',
    request: validRequest,
    accepts: (status) => isSuccess(operation, status) || status >= 500,
    expected: 'a success, or an error of the service',
    withFailingStore: true,
  };
}

const isDeclared = ({ object }: Operation, status: number) => String(status) in (object.responses ?? {});

const oneOf = (...statuses: number[]): Expectation => ({
  accepts: (status) => statuses.includes(status),
  expected: `status ${statuses.join(' or ')}`,
});

/** Expects an error with one of these statuses. If the operation does not declare them, expects any 4xx. */
function rejection(operation: Operation, ...statuses: number[]): Expectation {
  // Invalid requests have no idempotency key, so the server cannot respond with the statuses for an idempotency key.
  const isPossible = (status: number) => !operation.idempotencyKey || !IDEMPOTENCY_KEY_STATUSES.includes(status);
  const declared = statuses.filter((status) => isDeclared(operation, status) && isPossible(status));
  // 413 and 415 are about the size and the type of a body, so they alone do not cover all invalid requests.
  if (declared.some((status) => status !== 413 && status !== 415)) return oneOf(...declared);
  return { accepts: (status) => status >= 400 && status < 500 && isPossible(status), expected: 'a status of 4xx' };
}

/** Valid requests with examples of the inputs. Examples of the body are left out: `listErrors` sends them. */
function validRequests({ spec, operation, build }: Call, existing: PathValues): TestRequest[] {
  const examples = inputsFor(operation, spec).filter(({ label }) => !label.startsWith('body '));
  return examples.map(({ label, inputs }) => {
    // The server may reject a generated precondition: as unmet, because no resource has that version, or as malformed, because
    // a value that fits the schema need not be an entity tag or a date.
    const preconditionErrors = PRECONDITION.test(label) ? [400, 412] : [];
    const accepts = (status: number) =>
      isSuccess(operation, status) || isRejection(operation, status) || preconditionErrors.includes(status);
    const request = build(withPath(inputs, existing));
    return { label: `a valid request (${label})`, request, accepts, expected: 'a success' };
  });
}

/** Requests without the accepted API key, and requests with another spelling of its scheme. */
function* credentialRequests(
  { spec, operation, allInputs, validRequest, build }: Call,
  apiKey: string,
): Generator<TestRequest> {
  const { security } = operation;
  if (!security.every((schemes) => Object.keys(schemes).length > 0) || security.length === 0) return;
  for (const key of ['nobody', apiKey.toUpperCase(), `${apiKey}1`, apiKey.slice(0, -1)])
    yield { label: `the API key ${key}`, request: build(allInputs, key), ...oneOf(401) };
  yield { label: 'no API key', request: anonymousRequest(spec, operation, allInputs), ...oneOf(401) };

  const { authorization } = validRequest.headers;
  if (authorization === undefined) return;
  const [scheme = '', ...credential] = authorization.split(' ');
  const inScheme = (name: string) => withHeader(validRequest, 'Authorization', [name, ...credential].join(' '));
  yield { label: 'the API key in another scheme', request: inScheme('Other'), ...oneOf(401) };
  const expectation = { accepts: (status: number) => status !== 401, expected: 'another status than 401' };
  // The names of schemes are case-insensitive (RFC 9110 11.1).
  for (const name of [scheme.toLowerCase(), scheme.toUpperCase()])
    yield { label: `the scheme ${name}`, request: inScheme(name), ...expectation };
}

/** The request of an operation, as if it needed no credential. */
function anonymousRequest(
  { root }: Spec,
  { id, method, path, parameters, object }: Operation,
  inputs: Inputs,
): WireRequest {
  const paths = { [path]: { [method.toLowerCase()]: { ...object, parameters, security: [] } } };
  return wireRequest(expectedRequest({ root: { ...root, paths } }, id, inputs));
}

/**
 * Requests with an idempotency key, in the order in which they have to be sent. None for a path with parameters, because each
 * request gets a new resource, so another path.
 */
function* idempotencyKeyRequests(call: Call): Generator<TestRequest> {
  const { id, idempotencyKey, path } = call.operation;
  if (!idempotencyKey || path.includes('{')) return;
  const withIdempotencyKey = (inputs: Inputs, key: string) => withHeader(call.build(inputs), idempotencyKey.name, key);
  // All operations share one set of idempotency keys, so each operation has a key of its own.
  const keyOfOperation = `a-key-of-${id}`;
  const request = withIdempotencyKey(call.allInputs, keyOfOperation);
  const success = { accepts: (status: number) => isSuccess(call.operation, status), expected: 'a success' };
  yield { label: 'a request with an idempotency key', request, ...success };
  yield { label: 'the same request again', request, ...success };
  const changedInputs = changedBody(call);
  const another = changedInputs && withIdempotencyKey(changedInputs, keyOfOperation);
  if (another) yield { label: 'another request with the same idempotency key', request: another, ...oneOf(422) };
  const invalid = withIdempotencyKey(call.allInputs, 'two words');
  yield { label: 'an invalid idempotency key', request: invalid, ...oneOf(400) };
}

/** Whether a status is a declared success of an operation. */
export function isSuccess({ object: { responses = {} } }: Operation, status: number): boolean {
  if (status < 200 || status > 299) return false;
  const declared = Object.keys(responses);
  const names = declared.some((name) => /^2/.test(name)) ? [String(status), '2XX', '2xx'] : ['default'];
  return names.some((name) => declared.includes(name));
}

/** Whether a handler may reject a valid request with this status: a declared 4xx above 403. */
export function isRejection(operation: Operation, status: number): boolean {
  return status > 403 && status < 500 && isDeclared(operation, status);
}

/** The same inputs, but a valid identifier of no resource; undefined if the path has no parameter. */
function inputsOfMissingResource(spec: Spec, { path, parameters }: Operation, inputs: Inputs): Inputs | undefined {
  const last = pathNames(path).at(-1);
  const parameter = parameters.find(({ name, in: location }) => location === 'path' && name === last);
  if (last === undefined || !parameter) return undefined;
  const schema = schemaOf(parameter);
  const fits = valueCheck(spec);
  const candidates = [resolve(spec, schema).maximum, 999_999_999, 'no-such-id', '00000000-0000-4000-8000-000000000000'];
  const missing = candidates.find(
    (value) => value !== undefined && value !== inputs.path?.[last] && fits(schema, value),
  );
  return missing === undefined ? undefined : withPath(inputs, { [last]: missing });
}
