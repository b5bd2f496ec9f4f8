// D4: the client sends the requests that the spec means, and reads what the spec declares. A `fetch` that records its requests and has
// its responses ready stands for the service.
import * as client from '@petstore/client';
import { type ErrorClass, errorClasses, errorClassFor } from '../client-errors.ts';
import { type Case, Cases, type Inputs } from './cases.ts';
import {
  allOf,
  type Call,
  callWith,
  type Ended,
  origin,
  type Ready,
  responseWith,
  type Sent,
  type Use,
} from './client-call.ts';
import { parseJson } from './exact.ts';
import { apiKey } from './exchange.ts';
import { expectEqual } from './expect.ts';
import type { Node, Operation, Spec } from './interface.ts';
import { type Judge, judgeOf } from './judge.ts';
import { asNode, responseFor } from './oracle.ts';
import type { Report } from './report.ts';
import { compareRequest, type Expect } from './requests.ts';

/** An operation of the client, and what it is compared with. */
interface Tested {
  readonly spec: Spec;
  readonly judge: Judge;
  readonly cases: Cases;
  readonly operation: Operation;
  readonly least: Case;
  readonly expect: Expect;
}

export async function check(spec: Spec, report: Report): Promise<void> {
  const judge = judgeOf(spec);
  const cases = new Cases(spec, judge);
  const methods = Object.keys(client.petstore({ apiKey, baseUrl: origin + spec.basePath }));
  const ids = spec.operations.map(({ id }) => id);
  expectEqual(report, 'the set of methods', methods.sort(), ids.sort());
  const missing = errorClasses.filter(({ name }) => !(name in client));
  expectEqual(report, 'the error classes that are not exported', missing, []);
  for (const operation of spec.operations.filter(({ id }) => methods.includes(id))) {
    const [least] = cases.valid(operation);
    const expect: Expect = (what, found, wanted) =>
      expectEqual(report, `${operation.id}: ${what}`, found, wanted);
    const tested = { spec, judge, cases, operation, least, expect };
    await checkRequests(tested);
    await checkSuccesses(tested);
    await checkErrors(tested);
    await checkFailures(tested);
    await checkRetries(tested);
    if (operation.pagination) await checkPages(tested, operation.pagination);
  }
}

/** Each case is sent as the spec means it. */
async function checkRequests(tested: Tested): Promise<void> {
  const { cases, operation, expect } = tested;
  for (const each of cases.valid(operation)) {
    const { sent, error, notices } = await call(tested, each.inputs, [successOf(tested)]);
    expect('the error of a valid call', messageOf(error), undefined);
    for (const request of sent) compareSent(tested, each, request);
    expect('whether it is reported as deprecated', notices.length > 0, operation.isDeprecated);
  }
}

/** Each declared success is what the call returns, and a 304 is no error for a caller who asked for it. */
async function checkSuccesses(tested: Tested): Promise<void> {
  const { operation, least, expect } = tested;
  const { successes } = operation;
  for (const status of successes)
    for (const data of bodiesOf(tested, status)) {
      const ended = await call(tested, least.inputs, [responseWith(status, data)]);
      const wanted = successes.length > 1 ? { status, data } : data;
      expect(`what it returns for ${status}`, messageOf(ended.error) ?? ended.data, wanted);
    }
  if (!operation.responses.has('304')) return;
  const headers = { 'if-none-match': '"known"' };
  const unchanged = await call(tested, least.inputs, [responseWith(304, undefined)], { headers });
  expect('what it returns for 304', messageOf(unchanged.error) ?? unchanged.data, undefined);
}

/** Each declared error is thrown as its class. */
async function checkErrors(tested: Tested): Promise<void> {
  const { spec, operation, least, expect } = tested;
  for (const [code, status] of spec.errorStatuses) {
    if (!responseFor(operation, status)) continue;
    const body = { code, message: 'A message.', status };
    const { error } = await call(tested, least.inputs, [responseWith(status, body)]);
    const found = asNode(error);
    const cause = `the error for ${status} ${code}`;
    expectClass(tested, error, errorClassFor(status), `${status}`);
    expect(`${cause}: code`, found.code, code);
    expect(`${cause}: status`, found.status, status);
    expect(`${cause}: message`, messageOf(error), body.message);
  }
}

/** What is no declared response, or no response at all, is thrown as a class of its own. */
async function checkFailures(tested: Tested): Promise<void> {
  const { operation, least } = tested;
  const expectFor = async (what: string, name: string, responses: Ready[], options: Node = {}) => {
    const { error } = await call(tested, least.inputs, responses, options);
    expectClass(tested, error, classNamed(name), what);
  };
  for (const status of [299, 302])
    await expectFor(`${status}`, 'UnexpectedResponseError', [responseWith(status, {})]);
  const [success = 200] = operation.successes;
  if (operation.responses.get(String(success))?.schema) {
    const broken = new Response('{', { status: success });
    await expectFor('a body that is no JSON', 'UnexpectedResponseError', [broken]);
  }
  await expectFor('a service that is not reached', 'ConnectionError', []);
  const signal = AbortSignal.abort();
  await expectFor('a signal that has aborted', 'AbortedError', [], { signal });
  await expectFor('a service that does not respond', 'TimeoutError', ['never'], { timeout: 5 });
}

/** All attempts of a call are the same request, with one idempotency key. Another call has another key. */
async function checkRetries(tested: Tested): Promise<void> {
  const { operation, least, expect } = tested;
  const unavailable = () => {
    const error = { code: 'unavailable', message: 'Later.', status: 503 };
    return responseWith(503, error, { 'retry-after': '0' });
  };
  const callWithRetries = (options: Node) => {
    const responses = [unavailable(), unavailable(), successOf(tested)];
    return call(tested, least.inputs, responses, { retry: { limit: 2, base: 1 }, ...options });
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
    const { sent, data, error } = await call(tested, inputs, pages(), {}, use);
    expect(`the elements that ${way} gives`, messageOf(error) ?? data, elements);
    const queries = sent.slice(1).map(({ request }) => new URL(request.url).searchParams);
    for (const query of queries) query.sort();
    expect(`the queries of ${way}`, queries.map(String), [2, 4, 6].map(queryOf));
  }
  const firstThree: Use = (started: Call) => started.collect({ max: 3 });
  const some = await call(tested, inputs, pages(), {}, firstThree);
  expect('collect with max 3', some.data, elements.slice(0, 3));
}

function call(
  { spec, operation }: Tested,
  inputs: Inputs,
  responses: readonly Ready[],
  options: Node = {},
  use: Use = (started) => started,
): Promise<Ended> {
  return callWith(spec, operation, inputs, responses, options, use);
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
  const { spec, judge, operation, expect } = tested;
  const { method, url } = request;
  const parsed = body === '' ? undefined : parseJson(body);
  compareRequest(spec, wanted, { method, url, body: parsed }, expect);
  expect('the origin of the request', new URL(url).origin, origin);
  const headers = Object.fromEntries(request.headers);
  const key = operation.idempotencyKey;
  const name = key?.name.toLowerCase() ?? '';
  const fault = key ? judge(key.schema, headers[name]) : undefined;
  expect(`the fault in the header ${name}`, fault, undefined);
  for (const own of ['accept', 'user-agent', name]) delete headers[own];
  const all = { ...wanted.headers, authorization: `Bearer ${apiKey}` };
  expect('the headers of the request', headers, all);
}

function expectClass(
  { expect }: Tested,
  error: unknown,
  wanted: ErrorClass | undefined,
  what: string,
): void {
  const name = error instanceof Error ? error.name : `no error, but ${error}`;
  expect(`the class of the error for ${what}`, name, wanted?.name);
  const exported = new Map<string, unknown>(Object.entries(client));
  const classes = [exported.get(name), exported.get(String(wanted?.base))];
  const isInstance = classes.every((each) => typeof each === 'function' && error instanceof each);
  expect(`whether the error for ${what} is an instance of its classes`, isInstance, true);
}

function classNamed(name: string): ErrorClass | undefined {
  return errorClasses.find((each) => each.name === name);
}

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
