// D4: the client sends the requests that the spec means, and reads what the spec declares.
import * as client from '@petstore/client';
import { errorClasses, errorClassFor } from '../client-errors.ts';
import type { Case, Cases } from './cases.ts';
import {
  allOf,
  call,
  type Ended,
  origin,
  responseWith,
  type Sent,
  type Target,
  type Use,
} from './client-call.ts';
import { parseJson } from './exact-json.ts';
import type { Expect, Findings } from './findings.ts';
import { apiKey, compareRequest } from './requests.ts';
import { asNode, lacksIdempotencyKey, type Operation, responseFor, type Spec } from './spec.ts';

/** An operation of the client, and what it is compared with. */
interface Tested extends Target {
  readonly cases: Cases;
  readonly expect: Expect;
}

export async function check(spec: Spec, findings: Findings, cases: Cases): Promise<void> {
  const methods = Object.keys(client.petstore({ apiKey, baseUrl: origin + spec.basePath }));
  const ids = spec.operations.map(({ id }) => id);
  findings.expect('the set of methods', methods.sort(), ids.sort());
  checkErrorClasses(findings);
  for (const operation of spec.operations.filter(({ id }) => methods.includes(id))) {
    const least = cases.least(operation);
    const tested = { spec, operation, least, cases, expect: findings.expectOf(operation.id) };
    await checkRequests(tested);
    await checkSuccesses(tested);
    await checkErrors(tested);
    await checkUndeclared(tested);
    await checkRetries(tested);
    if (operation.pagination) await checkPages(tested, operation.pagination);
  }
}

/** Each class is exported, and extends its base. */
function checkErrorClasses(findings: Findings): void {
  const exported = new Map<string, unknown>(Object.entries(client));
  for (const { name, base } of errorClasses) {
    const own = exported.get(name);
    const parent = typeof own === 'function' ? Object.getPrototypeOf(own) : undefined;
    findings.expect(`whether ${name} extends ${base}`, parent === exported.get(base), true);
  }
}

/** Each case is sent as the spec means it. */
async function checkRequests(tested: Tested): Promise<void> {
  const { cases, operation, expect } = tested;
  for (const each of cases.valid(operation)) {
    const responses = [successOf(tested)];
    const { sent, error, notices } = await call(tested, responses, { inputs: each.inputs });
    expect('the error of a valid call', messageOf(error), undefined);
    for (const request of sent) compareSent(tested, each, request);
    expect('whether it is reported as deprecated', notices.length > 0, operation.isDeprecated);
  }
}

/** Each declared success is what the call returns, and a 304 is no error for a caller who asked for it. */
async function checkSuccesses(tested: Tested): Promise<void> {
  const { operation, expect } = tested;
  const { successes, responses } = operation;
  for (const status of successes)
    for (const data of bodiesOf(tested, status)) {
      const ended = await call(tested, [responseWith(status, data)]);
      const wanted = successes.length > 1 ? { status, data } : data;
      expect(`what it returns for ${status}`, messageOf(ended.error) ?? ended.data, wanted);
    }
  if (!responses.has('304')) return;
  const options = { headers: { 'if-none-match': '"known"' } };
  const unchanged = await call(tested, [responseWith(304, undefined)], { options });
  expect('what it returns for 304', messageOf(unchanged.error) ?? unchanged.data, undefined);
}

/** Each declared error is thrown as its class. */
async function checkErrors(tested: Tested): Promise<void> {
  const { spec, operation, expect } = tested;
  for (const [code, status] of spec.errorStatuses) {
    if (!responseFor(operation, status)) continue;
    const body = { code, message: 'A message.', status };
    const { error } = await call(tested, [responseWith(status, body)]);
    const found = asNode(error);
    const cause = `the error for ${status} ${code}`;
    expect(`the class of ${cause}`, nameOf(error), errorClassFor(status)?.name);
    expect(`${cause}: code`, found.code, code);
    expect(`${cause}: status`, found.status, status);
    expect(`${cause}: message`, messageOf(error), body.message);
  }
}

/** What is no declared response is thrown as a class of its own. */
async function checkUndeclared(tested: Tested): Promise<void> {
  const { operation } = tested;
  const undeclared = [299, 302].map((status) => responseWith(status, {}));
  const [status = 200] = operation.successes;
  if (operation.responses.get(String(status))?.schema)
    undeclared.push(new Response('{', { status }));
  for (const response of undeclared) {
    const { error } = await call(tested, [response]);
    const what = `the class of the error for ${response.status} that is not declared`;
    tested.expect(what, nameOf(error), 'UnexpectedResponseError');
  }
}

/** All attempts of a call are the same request, with one idempotency key. Another call has another key. */
async function checkRetries(tested: Tested): Promise<void> {
  const { operation, least, expect } = tested;
  // The check of the document reports it.
  if (lacksIdempotencyKey(operation)) return;
  const error = { code: 'unavailable', message: 'Later.', status: 503 };
  const unavailable = () => responseWith(503, error, { 'retry-after': '0' });
  const callWithRetries = (options: object) => {
    const responses = [unavailable(), unavailable(), successOf(tested)];
    return call(tested, responses, { options: { retry: { limit: 2, base: 1 }, ...options } });
  };
  const first = await callWithRetries({});
  expect('the number of requests after two responses 503', first.sent.length, 3);
  for (const each of first.sent) compareSent(tested, least, each);
  const header = operation.idempotencyKey?.name;
  if (header === undefined) return;
  const keysOf = ({ sent }: Ended) => sent.map(({ request }) => request.headers.get(header));
  const keys = keysOf(first);
  expect('the number of keys of one call', new Set(keys).size, 1);
  const isRepeated = keysOf(await callWithRetries({})).includes(keys[0] ?? '');
  expect('whether two calls have the same idempotency key', isRepeated, false);
  const [own] = keysOf(await callWithRetries({ idempotencyKey: 'of-the-caller' }));
  expect('the idempotency key of the caller', own, 'of-the-caller');
}

/** The ways to read all elements of a list. */
const waysToRead: Readonly<Record<string, Use>> = {
  'for await': (started) => allOf(started),
  collect: (started) => started.collect(),
  pages: async (started) => (await allOf(started.pages())).flatMap(({ data }) => data),
};

/** Each way to read a list gives the elements of all pages, each page by the link of the one before. */
async function checkPages(
  tested: Tested,
  { cursor, key, limit }: NonNullable<Operation['pagination']>,
): Promise<void> {
  const { least, expect } = tested;
  const [element] = bodiesOf(tested, 200).flatMap((list) => (Array.isArray(list) ? list : []));
  const elements = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ ...element, [key]: number }));
  const queryOf = (after: number) => `${cursor}=${after}&${limit}=2`;
  const pages = () =>
    [0, 2, 4, 6].map((first) => {
      const link = { link: `<?${queryOf(first + 2)}>; rel="next"` };
      return responseWith(200, elements.slice(first, first + 2), first < 6 ? link : {});
    });
  const inputs = { parameters: { ...least.inputs.parameters, [limit]: 2 } };
  for (const [way, use] of Object.entries(waysToRead)) {
    const { sent, data, error } = await call(tested, pages(), { inputs, use });
    expect(`the elements that ${way} gives`, messageOf(error) ?? data, elements);
    const queries = sent.slice(1).map(({ request }) => new URL(request.url).searchParams);
    for (const query of queries) query.sort();
    expect(`the queries of ${way}`, queries.map(String), [2, 4, 6].map(queryOf));
  }
  const use: Use = (started) => started.collect({ max: 3 });
  const some = await call(tested, pages(), { inputs, use });
  expect('collect with max 3', some.data, elements.slice(0, 3));
}

/** Bodies that a response with a status may have. */
function bodiesOf({ operation, cases }: Tested, status: number): unknown[] {
  const schema = operation.responses.get(String(status))?.schema;
  return schema ? cases.values.valid(schema) : [undefined];
}

/** A response that the operation declares as its first success. */
function successOf(tested: Tested): Response {
  const [status = 200] = tested.operation.successes;
  const [data] = bodiesOf(tested, status);
  return responseWith(status, data);
}

/** Compares a request that was sent with the one of a case. */
function compareSent(tested: Tested, { request: wanted }: Case, { request, body }: Sent): void {
  const { spec, cases, operation, expect } = tested;
  const { method, url } = request;
  const parsed = body === '' ? undefined : parseJson(body);
  compareRequest(spec, wanted, { method, url, body: parsed }, expect);
  expect('the origin of the request', new URL(url).origin, origin);
  const headers = Object.fromEntries(request.headers);
  const key = operation.idempotencyKey;
  const name = key?.name.toLowerCase() ?? '';
  const fault = key ? cases.values.faultIn(key.schema, headers[name]) : undefined;
  expect(`the fault in the header ${name}`, fault, undefined);
  for (const own of ['accept', 'user-agent', name]) delete headers[own];
  const all = { ...wanted.headers, authorization: `Bearer ${apiKey}` };
  expect('the headers of the request', headers, all);
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : `no error, but ${error}`;
}

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
