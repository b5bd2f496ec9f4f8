// D4: the client sends the requests that the spec means, and reads what the spec declares. A `fetch` that records its requests and has
// its responses ready stands for the service.
import * as client from '@petstore/client';
import { errorClasses, errorClassFor } from '../client-errors.ts';
import { type Case, Cases, type Inputs } from './cases.ts';
import {
  allOf,
  apiKey,
  awaited,
  type Call,
  callWith,
  type Ended,
  origin,
  type Ready,
  responseWith,
  type Sent,
} from './client-call.ts';
import { parseJson } from './exact.ts';
import { expectEqual } from './expect.ts';
import type { Node, Operation, Spec } from './interface.ts';
import { type Judge, judgeOf } from './judge.ts';
import { asNode, responseFor } from './oracle.ts';
import type { Report } from './report.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const cases = new Cases(spec, judgeOf(spec));
  const methods = Object.keys(client.petstore({ apiKey, baseUrl: origin + spec.basePath }));
  const ids = spec.operations.map(({ id }) => id);
  expectEqual(report, 'the set of methods', methods.sort(), ids.sort());
  for (const { name } of errorClasses)
    if (!(name in client)) report(`the client does not export ${name}`);
  for (const operation of spec.operations.filter(({ id }) => methods.includes(id))) {
    const check = new ClientCheck(spec, report, cases, operation);
    await check.requests();
    await check.successes();
    await check.errors();
    await check.retries();
    if (operation.pagination) await check.pages(operation.pagination);
  }
}

/** The ways to read all elements of a list. */
const waysToRead: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  'for await': (call) => allOf(call),
  collect: (call) => call.collect(),
  pages: async (call) => (await allOf(call.pages())).flatMap(({ data }) => data),
};

class ClientCheck {
  readonly #spec: Spec;
  readonly #report: Report;
  readonly #cases: Cases;
  readonly #judge: Judge;
  readonly #operation: Operation;
  readonly #least: Case;

  constructor(spec: Spec, report: Report, cases: Cases, operation: Operation) {
    this.#spec = spec;
    this.#report = report;
    this.#cases = cases;
    this.#judge = judgeOf(spec);
    this.#operation = operation;
    this.#least = cases.valid(operation)[0];
  }

  /** Each case is sent as the spec means it. */
  async requests(): Promise<void> {
    for (const each of this.#cases.valid(this.#operation)) {
      const { sent, error, notices } = await this.#call(each.inputs, [this.#success()]);
      const [first] = sent;
      if (!first || error)
        this.#report(`${this.#name}: a valid call fails`, `${each.what}: ${error}`);
      else this.#compareRequest(each, first);
      const isReported = notices.length > 0;
      const cause = `${this.#name}: whether it is reported as deprecated`;
      expectEqual(this.#report, cause, isReported, this.#operation.isDeprecated);
    }
  }

  /** Each declared success is what the call returns. */
  async successes(): Promise<void> {
    for (const status of this.#operation.successes)
      for (const data of this.#bodiesOf(status)) await this.#compareResult(status, data);
  }

  async #compareResult(status: number, data: unknown): Promise<void> {
    const isOneOfSeveral = this.#operation.successes.length > 1;
    const wanted = isOneOfSeveral ? { status, data } : data;
    const found = await this.#call(this.#least.inputs, [responseWith(status, data)]);
    const cause = `${this.#name}: what it returns for ${status}`;
    if (found.error) this.#report(`${cause} is an error`, String(found.error));
    else expectEqual(this.#report, cause, found.data, wanted);
  }

  /** Bodies that a response with a status may have. */
  #bodiesOf(status: number): unknown[] {
    const schema = this.#operation.responses.get(String(status))?.schema;
    return schema ? this.#cases.values.valid(schema) : [undefined];
  }

  /** Each declared error is thrown as its class; what is not declared, or is no response, has classes of its own. */
  async errors(): Promise<void> {
    for (const [code, status] of this.#spec.errorStatuses) {
      if (!responseFor(this.#operation, status)) continue;
      const body = { code, message: 'A message.', status };
      const { error } = await this.#call(this.#least.inputs, [responseWith(status, body)]);
      const found = asNode(error);
      const cause = `${this.#name}: the error for ${status} ${code}`;
      this.#expectClass(error, errorClassFor(status), `${status}`);
      expectEqual(this.#report, `${cause}: code`, found.code, code);
      expectEqual(this.#report, `${cause}: status`, found.status, status);
      expectEqual(this.#report, `${cause}: message`, messageOf(error), body.message);
    }
    const undeclared = [299, 302].filter(
      (status) => !this.#operation.responses.has(String(status)),
    );
    for (const status of undeclared) {
      const { error } = await this.#call(this.#least.inputs, [responseWith(status, {})]);
      this.#expectClass(error, 'UnexpectedResponseError', `${status}`);
    }
    const broken = await this.#call(this.#least.inputs, [new Response('{', { status: 200 })]);
    this.#expectClass(broken.error, 'UnexpectedResponseError', 'a body that is no JSON');
    const unreached = await this.#call(this.#least.inputs, []);
    this.#expectClass(unreached.error, 'ConnectionError', 'a service that is not reached');
    const aborted = await this.#call(this.#least.inputs, [], { signal: AbortSignal.abort() });
    this.#expectClass(aborted.error, 'AbortedError', 'a signal that has aborted');
    const late = await this.#call(this.#least.inputs, ['never'], { timeout: 5 });
    this.#expectClass(late.error, 'TimeoutError', 'a service that does not respond');
  }

  /** All attempts of a call are the same request, with one idempotency key. Another call has another key. */
  async retries(): Promise<void> {
    const { idempotencyKey, id } = this.#operation;
    const unavailable = () =>
      responseWith(
        503,
        { code: 'unavailable', message: 'Later.', status: 503 },
        { 'retry-after': '0' },
      );
    const retry = { limit: 2, base: 1 };
    const call = (options: Node) =>
      this.#call(this.#least.inputs, [unavailable(), unavailable(), this.#success()], {
        retry,
        ...options,
      });
    const { sent, error } = await call({});
    if (error || sent.length !== 3)
      this.#report(`${id}: two responses 503 are not retried`, `${sent.length} requests, ${error}`);
    for (const each of sent) this.#compareRequest(this.#least, each);
    if (!idempotencyKey) return;
    const keysOf = (ended: Ended) =>
      ended.sent.map(({ request }) => request.headers.get(idempotencyKey.name));
    const keys = keysOf({ sent, notices: [] });
    if (new Set(keys).size !== 1) this.#report(`${id}: the attempts of a call have several keys`);
    if (keysOf(await call({})).includes(keys[0] ?? ''))
      this.#report(`${id}: two calls have the same idempotency key`);
    const own = keysOf(await call({ idempotencyKey: 'of-the-caller' }));
    expectEqual(
      this.#report,
      `${id}: the idempotency key of the caller`,
      new Set(own),
      new Set(['of-the-caller']),
    );
  }

  /** Each way to read a list gives the elements of all pages, each page by the link of the one before. */
  async pages({ cursor, key, limit }: NonNullable<Operation['pagination']>): Promise<void> {
    const [element] = this.#bodiesOf(200).flatMap((list) => (Array.isArray(list) ? list : []));
    const elements = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ ...element, [key]: number }));
    const queryOf = (after: number) => `${cursor}=${after}&${limit}=2`;
    const responses = [0, 2, 4, 6].map((first) => {
      const link = { link: `<?${queryOf(first + 2)}>; rel="next"` };
      return () => responseWith(200, elements.slice(first, first + 2), first < 6 ? link : {});
    });
    const inputs = { parameters: { ...this.#least.inputs.parameters, [limit]: 2 } };
    for (const [way, use] of Object.entries(waysToRead)) {
      const ready = responses.map((make) => make());
      const { sent, data, error } = await this.#call(inputs, ready, {}, use);
      const cause = `${this.#name}: the elements that ${way} gives`;
      expectEqual(this.#report, cause, error ? String(error) : data, elements);
      const queries = sent.slice(1).map(({ request }) => new URL(request.url).searchParams);
      for (const query of queries) query.sort();
      const wanted = [2, 4, 6].map(queryOf);
      expectEqual(
        this.#report,
        `${this.#name}: the queries of ${way}`,
        queries.map(String),
        wanted,
      );
    }
    const ready = responses.map((make) => make());
    const some = await this.#call(inputs, ready, {}, (call) => call.collect({ max: 3 }));
    expectEqual(this.#report, `${this.#name}: collect with max 3`, some.data, elements.slice(0, 3));
  }

  #call(
    inputs: Inputs,
    responses: readonly Ready[],
    options: Node = {},
    use = awaited,
  ): Promise<Ended> {
    return callWith(this.#spec, this.#operation, inputs, responses, options, use);
  }

  get #name(): string {
    return this.#operation.id;
  }

  /** A response that the operation declares as its first success. */
  #success(): Response {
    const [status = 200] = this.#operation.successes;
    const [data] = this.#bodiesOf(status);
    return responseWith(status, data);
  }

  #compareRequest({ request: wanted }: Case, { request, body }: Sent): void {
    const cause = (what: string) => `${this.#name}: the ${what} of the request`;
    const { pathname, searchParams, origin: to } = new URL(request.url);
    const path = decodeURIComponent(this.#spec.basePath + wanted.path);
    expectEqual(this.#report, cause('origin'), to, origin);
    expectEqual(this.#report, cause('method'), request.method, wanted.method);
    expectEqual(this.#report, cause('path'), decodeURIComponent(pathname), path);
    const pairs = (entries: Iterable<readonly string[]>) => [...entries].map(String).sort();
    expectEqual(this.#report, cause('query'), pairs(searchParams), pairs(wanted.query));
    const read = (text: string | undefined) => (text ? parseJson(text) : undefined);
    expectEqual(this.#report, cause('body'), read(body), read(wanted.body));
    const headers = Object.fromEntries(request.headers);
    const key = this.#operation.idempotencyKey;
    const name = key?.name.toLowerCase() ?? '';
    const fault = key ? this.#judge(key.schema, headers[name]) : undefined;
    if (fault) this.#report(cause(`header ${name}`), fault);
    for (const own of ['accept', 'user-agent', name]) delete headers[own];
    const authorization = `Bearer ${apiKey}`;
    expectEqual(this.#report, cause('headers'), headers, { ...wanted.headers, authorization });
  }

  #expectClass(error: unknown, wanted: string | undefined, what: string): void {
    const name = error instanceof Error ? error.name : `no error, but ${error}`;
    const cause = `${this.#name}: the class of the error for ${what}`;
    expectEqual(this.#report, cause, name, wanted);
    const exported = new Map<string, unknown>(Object.entries(client)).get(String(wanted));
    const isInstance = typeof exported === 'function' && error instanceof exported;
    if (name === wanted && !isInstance) this.#report(`${cause} is no instance of ${wanted}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
