// Requests to a running server. Each answer is compared with what the spec declares.
import { Agent, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Request } from './requests.ts';
import { commonHeaders, type Operation, type Spec } from './spec.ts';
import { differ, type Report, readJson } from './values.ts';

export interface Answer {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed JSON, with exact integers. */
  readonly data: unknown;
}

/** Statuses that a request should get. 200 stands for any success. */
export type Wanted = readonly number[];

/** What the spec declares and no request to a healthy server can cause: error codes and headers, with the reason. */
const unprovoked: Readonly<Record<string, string>> = {
  request_in_flight: 'it needs requests that overlap',
  rate_limited: 'it needs a server with a rate limit',
  internal_error: 'it needs a bug',
  unavailable: 'it needs a store that fails',
  'retry-after': 'it comes with these codes only',
};

/** Headers that HTTP itself defines for any response. */
const ofHttp = 'accept connection content-length content-type date keep-alive transfer-encoding'.split(' ');
const common = commonHeaders.map((name) => name.toLowerCase());

export class Conversation {
  readonly #spec: Spec;
  readonly #origin: string;
  readonly #key: string;
  readonly #report: Report;
  readonly #agent = new Agent({ keepAlive: true });
  /** The statuses, headers, members and error codes that came. */
  readonly #seen = new Set<string>();
  #count = 0;

  constructor(spec: Spec, origin: string, key: string, report: Report) {
    this.#spec = spec;
    this.#origin = origin;
    this.#key = key;
    this.#report = report;
  }

  /** Sends any request, with an API key unless the headers have another. */
  async ask(method: string, path: string, headers: Request['headers'] = {}, body?: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const id = `drift-${++this.#count}`;
    const all = { authorization: `Bearer ${this.#key}`, ...headers, ...length, 'x-request-id': id };
    const sent = send(`${this.#origin}${path}`, { method, agent: this.#agent, headers: all }, async (response) => {
      const received = Object.entries(response.headersDistinct).map(([name, values]) => [name, values?.join(', ')]);
      const found = Object.fromEntries(received);
      const raw = await text(response);
      resolve({
        status: response.statusCode ?? 0,
        headers: found,
        text: raw,
        data: raw && /json/.test(found['content-type']) ? readJson(raw) : undefined,
      });
    });
    sent.on('error', reject).end(body);
    const answer = await promise;
    const shown = `${method} ${path.split('?')[0]} ${answer.status}: ${commonHeaders.slice(0, 2)}`;
    differ(
      this.#report,
      shown,
      [answer.headers['x-request-id'], answer.headers['x-content-type-options']],
      [id, 'nosniff'],
    );
    return answer;
  }

  /** Sends a request of an operation, and compares the answer with the wanted statuses and with the spec. */
  async call(operation: Operation, request: Request, why: string, wanted: Wanted): Promise<Answer> {
    const query = request.query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
    const path = `${this.#spec.basePath}${request.path}${query && `?${query}`}`;
    const answer = await this.ask(request.method, path, request.headers, request.body);
    const isSuccess = Math.floor(answer.status / 100) === 2;
    const name = `${request.method} ${operation.path} ${answer.status}`;
    if (answer.status === 501) this.#report(`${name}: the operation has no handler`, 'write one');
    else if (!wanted.includes(isSuccess ? 200 : answer.status))
      this.#report(`${name}: ${why} should get ${wanted.join(' or ')}`);
    this.check(operation, answer, name, request.method === 'HEAD');
    return answer;
  }

  /** Compares an answer with the response that an operation declares. */
  check({ id, responses }: Operation, { status, headers, data }: Answer, name: string, isHead = false): void {
    const declared = responses[status] ?? responses.default;
    if (!declared) return this.#report(`${name}: the status is not declared`);
    const see = (what: string) => this.#seen.add(`${id} ${status} ${what}`);
    see('');
    for (const [header, { required, schema }] of Object.entries(declared.headers)) {
      const value = headers[header];
      if (required && value === undefined) this.#report(`${name}: the required header ${header} is missing`);
      if (value === undefined) continue;
      see(header);
      const isNumber = /integer|number/.test(String(this.#spec.follow(schema).type));
      const fault = this.#spec.faultOf(schema, isNumber ? Number(value) : value);
      if (fault) this.#report(`${name}: header ${header} ${fault}`);
    }
    for (const header of Object.keys(headers).filter((each) => !declared.headers[each]))
      if (![...ofHttp, ...common].includes(header)) this.#report(`${name}: header ${header} is not declared`);
    if (isHead) return;
    differ(this.#report, `${name}: the media type`, headers['content-type']?.split(';')[0], declared.body?.type);
    const fault = declared.body && this.#spec.faultOf(declared.body.schema, data);
    if (fault) this.#report(`${name}: the body ${fault}`);
    for (const item of [data].flat()) for (const member of Object.keys(Object(item))) see(`member ${member}`);
    if (status >= 400) this.checkError(name, status, data);
  }

  /** An error has the HTTP status, and a code of that status, or that of 400 or 500 for a status without one and for a failure. */
  checkError(name: string, status: number, data: unknown): void {
    const { code, status: stated } = Object(data);
    this.#seen.add(code);
    differ(this.#report, `${name}: the member status`, stated, status);
    const { statuses } = this.#spec;
    const own = Object.keys(statuses).filter((each) => statuses[each] === status);
    const usual = status < 500 ? own.length === 0 && 400 : 500;
    if (statuses[code] !== status && statuses[code] !== usual)
      this.#report(`${name}: the code is ${code}, not ${own.join(' or ') || 'one of this class'}`);
  }

  /** Reports what the spec declares and no answer had. */
  checkCoverage(): void {
    const { statuses, operations, follow } = this.#spec;
    const fix = 'correct the server or the spec, or give the reason in tools/drift/server-requests.ts';
    const miss = (what: string) => this.#report(`${what} is in no answer`, fix);
    for (const { id, method, path, responses } of operations)
      for (const [status, { headers, body }] of Object.entries(responses)) {
        const codes = Object.keys(statuses).filter((code) => statuses[code] === Number(status));
        if (status === 'default' || (codes.length > 0 && codes.every((code) => unprovoked[code]))) continue;
        const schema = follow(body?.schema);
        const { properties = {} } = follow(schema.items ?? schema);
        const members = Object.keys(properties).map((member) => `member ${member}`);
        const isSeen = (what: string) => this.#seen.has(`${id} ${status} ${what}`);
        const missing = [...Object.keys(headers), ...members].filter((what) => !isSeen(what) && !unprovoked[what]);
        for (const what of isSeen('') ? missing : ['status']) miss(`${method} ${path} ${status}: the ${what}`);
      }
    for (const code of Object.keys(statuses))
      if (!this.#seen.has(code) && !unprovoked[code]) miss(`the error code ${code}`);
  }

  close(): void {
    this.#agent.destroy();
  }
}
