import { type Operation, resolve } from '../../../openapi/document.ts';
import type { Inputs, WireRequest } from '../../../openapi/serialize.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import { pathNames, type Spec } from '../../openapi.ts';
import { fullInputs, inputsFor } from '../values.ts';
import { type Call, changedBody, invalidRequests, requestsWithInvalidPath, schemaOf } from './invalid-requests.ts';
import { type PathValues, requestFor, type Service, withHeader, withPath } from './service.ts';

/** A request for an operation, and the statuses that the server may respond with. */
export interface TestRequest extends Expectation {
  /** The end of `the response to …` in a finding. */
  readonly label: string;
  readonly request: WireRequest;
  /** The server that the request needs: one whose store fails, or one whose stored elements have versions. */
  readonly needs?: 'failing store' | 'versions';
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
export function testRequestsFor(service: Service, operation: Operation, existing: PathValues): TestRequest[] {
  const { spec } = service;
  const allInputs = withPath(fullInputs(spec, operation), existing);
  const build = (inputs: Inputs, apiKey?: string) => requestFor(service, operation, inputs, apiKey);
  const call: Call = { spec, operation, allInputs, validRequest: build(allInputs), build };
  const { validRequest } = call;
  const isDeclared = (status: number) => String(status) in (operation.object.responses ?? {});
  const ifDeclared = (status: number, label: string, request: WireRequest, needs?: TestRequest['needs']) =>
    isDeclared(status) ? [{ label, request, ...oneOf(status), ...(needs && { needs }) }] : [];
  // Invalid requests have no idempotency key, so the server cannot respond with the statuses for an idempotency key.
  const isForIdempotencyKey = (status: number) =>
    operation.idempotencyKey !== undefined && IDEMPOTENCY_KEY_STATUSES.includes(status);
  const declaredErrors = (...statuses: number[]) =>
    statuses.filter((status) => isDeclared(status) && !isForIdempotencyKey(status));
  const rejections = declaredErrors(400, 413, 415, 422);
  // 413 and 415 are about the size and the type of a body, so they alone do not cover all invalid requests.
  const coversAllRejections = rejections.some((status) => status !== 413 && status !== 415);
  const inputsOfMissing = inputsOfMissingResource(spec, operation, allInputs);
  return [
    ...validRequests(call, existing, isDeclared),
    ...invalidRequests(call).map((invalid) => ({
      ...invalid,
      ...rejection(coversAllRejections ? rejections : [], isForIdempotencyKey),
    })),
    ...requestsWithInvalidPath(call).map((invalid) => ({
      ...invalid,
      ...rejection(declaredErrors(400, 404, 422), isForIdempotencyKey),
    })),
    ...credentialRequests(call, service.apiKey),
    ...ifDeclared(304, 'If-None-Match: *', withHeader(validRequest, 'If-None-Match', '*'), 'versions'),
    ...ifDeclared(412, 'another If-Match', withHeader(validRequest, 'If-Match', '"no-such-version"'), 'versions'),
    ...(inputsOfMissing ? ifDeclared(404, 'the identifier of no resource', build(inputsOfMissing)) : []),
    ...idempotencyKeyRequests(call),
    ...(operation.body
      ? ifDeclared(413, 'a body that is too large', { ...validRequest, body: 'x'.repeat(BODY_LIMIT + 1) })
      : []),
    ...(operation.body
      ? ifDeclared(415, 'a body of another type', {
          ...withHeader(validRequest, 'Content-Type', 'application/x-unknown'),
          body: 'x',
        })
      : []),
    {
      label: 'a failing store',
      request: validRequest,
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

/** Expects an error with one of these statuses. Without statuses, expects any 4xx but those with another meaning. */
function rejection(statuses: readonly number[], hasOtherMeaning: (status: number) => boolean): Expectation {
  if (statuses.length > 0) return oneOf(...statuses);
  const accepts = (status: number) => status >= 400 && status < 500 && !hasOtherMeaning(status);
  return { accepts, expected: 'a status of 4xx' };
}

/** Valid requests with examples of the inputs. Examples of the body are left out: `resourceErrors` sends them. */
function validRequests(
  { spec, operation, build }: Call,
  existing: PathValues,
  isDeclared: (status: number) => boolean,
): TestRequest[] {
  const examples = inputsFor(spec, operation).filter(({ label }) => !label.startsWith('body '));
  return examples.map(({ label, inputs }) => {
    // The server may reject a generated precondition: as unmet, because no resource has that version, or as malformed, because
    // a value that fits the schema need not be an entity tag or a date.
    const preconditionErrors = PRECONDITION.test(label) ? [400, 412] : [];
    // A handler may reject a request that matches the spec, with another declared status.
    const accepts = (status: number) =>
      isSuccess(operation, status) ||
      (status > 403 && status < 500 && isDeclared(status)) ||
      preconditionErrors.includes(status);
    const request = build(withPath(inputs, existing));
    return { label: `a valid request (${label})`, request, accepts, expected: 'a success' };
  });
}

/** Requests without the accepted API key, and requests with another spelling of its scheme. */
function credentialRequests({ spec, operation, allInputs, validRequest, build }: Call, apiKey: string): TestRequest[] {
  const { security } = operation;
  if (!security.every((schemes) => Object.keys(schemes).length > 0) || security.length === 0) return [];
  const similarKeys = [apiKey.toUpperCase(), `${apiKey}1`, apiKey.slice(0, -1)];
  const anonymous = withoutCredential(spec, validRequest);
  const { authorization } = validRequest.headers;
  const [scheme = '', ...credential] = authorization?.split(' ') ?? [];
  const inScheme = (name: string) => withHeader(validRequest, 'Authorization', [name, ...credential].join(' '));
  // The names of schemes are case-insensitive (RFC 9110 11.1).
  const spellings = authorization === undefined ? [] : [scheme.toLowerCase(), scheme.toUpperCase()];
  const unauthorized = oneOf(401);
  return [
    { label: 'an unknown API key', request: build(allInputs, 'nobody'), ...unauthorized },
    ...similarKeys.map((similar) => ({
      label: `the similar API key ${similar}`,
      request: build(allInputs, similar),
      ...unauthorized,
    })),
    ...(anonymous ? [{ label: 'no API key', request: anonymous, ...unauthorized }] : []),
    ...(spellings.length > 0
      ? [{ label: 'the API key in another scheme', request: inScheme('Other'), ...unauthorized }]
      : []),
    ...spellings.map((name) => ({
      label: `the scheme ${name}`,
      request: inScheme(name),
      accepts: (status: number) => status !== 401,
      expected: 'another status than 401',
    })),
  ];
}

/** The request without the headers that authenticate it; undefined if the request has no such header. */
function withoutCredential({ root }: Spec, request: WireRequest): WireRequest | undefined {
  const schemes = Object.values(root.components?.securitySchemes ?? {});
  const keyHeaders = schemes.map(({ in: place, name = '' }) => (place === 'header' ? name.toLowerCase() : ''));
  const headers = Object.entries(request.headers).filter(([name]) => !['authorization', ...keyHeaders].includes(name));
  const hasCredential = headers.length < Object.keys(request.headers).length;
  return hasCredential ? { ...request, headers: Object.fromEntries(headers) } : undefined;
}

/**
 * Requests with an idempotency key, in the order in which they have to be sent. None for a path with parameters, because each
 * request would name another resource.
 */
function idempotencyKeyRequests(call: Call): TestRequest[] {
  const { id, idempotencyKey, path } = call.operation;
  if (!idempotencyKey || path.includes('{')) return [];
  const withIdempotencyKey = (inputs: Inputs, key: string) => withHeader(call.build(inputs), idempotencyKey.name, key);
  // All operations share one set of idempotency keys, so the key of each operation is another one.
  const keyOfOperation = `a-key-of-${id}`;
  const request = withIdempotencyKey(call.allInputs, keyOfOperation);
  const success = { accepts: (status: number) => isSuccess(call.operation, status), expected: 'a success' };
  const changedInputs = changedBody(call);
  return [
    { label: 'a request with an idempotency key', request, ...success },
    { label: 'the same request again', request, ...success },
    ...(changedInputs
      ? [
          {
            label: 'another request with the same idempotency key',
            request: withIdempotencyKey(changedInputs, keyOfOperation),
            ...oneOf(422),
          },
        ]
      : []),
    { label: 'an invalid idempotency key', request: withIdempotencyKey(call.allInputs, 'two words'), ...oneOf(400) },
  ];
}

/** Whether a status is a declared success of an operation. */
export function isSuccess({ object: { responses = {} } }: Operation, status: number): boolean {
  if (status < 200 || status > 299) return false;
  const declared = Object.keys(responses);
  const names = declared.some((name) => /^2/.test(name)) ? [String(status), '2XX', '2xx'] : ['default'];
  return names.some((name) => declared.includes(name));
}

/** The same inputs, but a valid identifier of no resource; undefined if the path has no parameter. */
function inputsOfMissingResource(spec: Spec, { path, parameters }: Operation, inputs: Inputs): Inputs | undefined {
  const last = pathNames(path).at(-1);
  const parameter = parameters.find(({ name, in: place }) => place === 'path' && name === last);
  if (last === undefined || !parameter) return undefined;
  const schema = schemaOf(parameter);
  const fits = valueCheck(spec);
  const candidates = [resolve(spec, schema).maximum, 999_999_999, 'no-such-id', '00000000-0000-4000-8000-000000000000'];
  const missing = candidates.find(
    (value) => value !== undefined && value !== inputs.path?.[last] && fits(schema, value),
  );
  return missing === undefined ? undefined : withPath(inputs, { [last]: missing });
}
