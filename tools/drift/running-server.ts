// A server in this process, with requests to it. Each response is compared with what the spec declares.
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  type AppOptions,
  createApp,
  keysFrom,
  listen,
  memoryStore,
  type Store,
} from '@petstore/server';
import type { Schema } from '@petstore/types';
import type { Attempt, Cases } from './cases.ts';
import type { Coverage } from './coverage.ts';
import { parseJson } from './exact-json.ts';
import type { Findings } from './findings.ts';
import { apiKey, type Request, targetOf } from './requests.ts';
import {
  asNode,
  type Header,
  type Operation,
  responseFor,
  type Spec,
  successorOf,
} from './spec.ts';

/** What all servers of a check share. */
export interface Context {
  readonly spec: Spec;
  readonly cases: Cases;
  readonly findings: Findings;
  readonly coverage: Coverage;
}

export interface Setting {
  readonly options?: Partial<AppOptions>;
  /** Default: an empty store in memory. */
  readonly store?: Store | Promise<Store>;
}

/** A response of a server. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  /** The parsed JSON; undefined without a JSON body. */
  readonly data: unknown;
}

/** Headers that HTTP itself defines for any response; `accept` is that of a 415. */
const httpHeaders = [
  'accept',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
];

/** Starts a server, lets it be used, and stops it. */
export async function withServer(
  context: Context,
  { options, store = memoryStore() }: Setting,
  use: (server: RunningServer) => Promise<unknown>,
): Promise<void> {
  const app = createApp(store, { keys: keysFrom(`drift=${apiKey}`), ...options });
  const { origin, stop } = await listen(app, { host: '127.0.0.1', port: 0 });
  try {
    await use(new RunningServer(context, origin));
  } finally {
    await stop(0);
  }
}

export class RunningServer {
  readonly context: Context;
  readonly origin: string;

  constructor(context: Context, origin: string) {
    this.context = context;
    this.origin = origin;
  }

  /** Sends any request, with the API key unless the headers have another. The path begins at the origin. */
  async send({ method, path, headers, body }: Omit<Request, 'query'>): Promise<Answer> {
    const id = crypto.randomUUID();
    const all = { authorization: `Bearer ${apiKey}`, ...headers, 'x-request-id': id };
    const response = await responseTo(this.origin + path, { method, headers: all }, body);
    const answer = await readAnswer(response);
    if (answer.headers.get('x-request-id') !== id)
      this.context.findings.add(`${method}: X-Request-Id is not that of the request`, path);
    return answer;
  }

  get(path: string, headers: Request['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'GET', path, headers });
  }

  /** Sends a request to an operation, and compares the response with what the spec allows for it. */
  async attempt(attempt: Attempt): Promise<Answer> {
    const { operation, request } = attempt;
    const { spec, findings, coverage } = this.context;
    const answer = await this.send({ ...request, path: spec.basePath + targetOf(request) });
    const name = `${request.method} ${operation.path} ${answer.status}`;
    this.#compareStatus(attempt, answer.status, name);
    const declared = responseFor(operation, answer.status);
    if (!declared) {
      findings.add(`${name}: the status is not declared`);
      return answer;
    }
    coverage.see(operation, answer.status, answer.headers.keys(), answer.data);
    this.#compareHeaders(declared.headers, answer, name);
    this.#compareDeprecation(operation, answer, name);
    if (request.method === 'HEAD')
      findings.expect(`${name}: the body of the response to HEAD`, answer.text, '');
    else this.#compareBody(declared.schema, answer, name);
    return answer;
  }

  /** The body of an error has the HTTP status, and a code of this status. */
  compareError({ status, data }: Answer, name: string): void {
    const { spec, findings, coverage } = this.context;
    const { code, status: stated } = asNode(data);
    coverage.seeCode(String(code));
    findings.expect(`${name}: the property status`, stated, status);
    const codes = codesOf(spec, status);
    if (!codes.includes(String(code)))
      findings.add(`${name}: the code is ${code}, not ${codes.join(' or ')}`);
  }

  #compareStatus(attempt: Attempt, status: number, name: string): void {
    const { operation, what, statuses, isAboutInputs } = attempt;
    const { findings } = this.context;
    const subject = isAboutInputs ? 'these inputs' : 'this request';
    if (status === 501) {
      const fix = 'write it in apps/server/src/handlers.ts';
      findings.add(`${name}: the operation has no handler`, '', fix);
    } else if (!statuses.includes(status)) {
      const fix = status === 500 ? 'send it to npm start, whose log says why' : undefined;
      findings.add(`${name}: ${subject} should get ${statuses.join(' or ')}`, what, fix);
    } else if (isAboutInputs && !operation.responses.has(String(status)))
      findings.add(
        `${name}: the status is about the inputs, so the operation has to declare it`,
        what,
      );
  }

  #compareBody(schema: Schema | undefined, answer: Answer, name: string): void {
    const { cases, findings } = this.context;
    const mediaType = schema && 'application/json';
    findings.expect(`${name}: the media type`, mediaTypeOf(answer.headers), mediaType);
    const fault = schema ? cases.values.faultIn(schema, answer.data) : undefined;
    if (fault) findings.add(`${name}: the body is not what the spec declares`, fault);
    if (answer.status >= 400) this.compareError(answer, name);
  }

  #compareHeaders(declared: ReadonlyMap<string, Header>, answer: Answer, name: string): void {
    const { spec, findings } = this.context;
    const allowed = new Map([...spec.commonHeaders, ...declared]);
    for (const [header, declaration] of allowed)
      this.#compareHeader(header, declaration, answer, `${name}: the header ${header}`);
    for (const header of answer.headers.keys())
      if (!allowed.has(header) && !httpHeaders.includes(header))
        findings.add(`${name}: the header ${header} is not declared`);
  }

  #compareHeader(
    header: string,
    { required, requiredWith, schema }: Header,
    { status, headers }: Answer,
    name: string,
  ): void {
    const { cases, findings } = this.context;
    const value = headers.get(header);
    if (value === undefined) {
      const isRequiredWithStatus = requiredWith.includes(status);
      if (required || isRequiredWithStatus) findings.add(`${name} is missing`);
      return;
    }
    const fault = cases.values.faultIn(schema, schema.type === 'integer' ? Number(value) : value);
    if (fault) findings.add(name, fault);
  }

  /** Each response of a deprecated operation says since when, until when, and what to use instead. */
  #compareDeprecation(operation: Operation, { headers }: Answer, name: string): void {
    const { spec, findings } = this.context;
    const { deprecatedSince, sunset } = operation;
    const since = deprecatedSince && `@${Date.parse(deprecatedSince) / 1000}`;
    const until = sunset && new Date(sunset).toUTCString();
    if (since) findings.expect(`${name}: Deprecation`, headers.get('deprecation'), since);
    if (until) findings.expect(`${name}: Sunset`, headers.get('sunset'), until);
    const successor = successorOf(spec, operation);
    const link = `<${spec.basePath}${successor?.path}>; rel="successor-version"`;
    if (successor && !headers.get('link')?.includes(link))
      findings.add(`${name}: Link lacks ${link}`);
  }
}

/** Requests by `node:http` take a third of the time of those by `fetch`. */
function responseTo(url: string, options: RequestOptions, body = ''): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options).on('response', resolve).on('error', reject).end(body);
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const fields = Object.entries(response.headers);
  const headers = new Map(fields.map(([name, value]) => [name, String(value)]));
  const body = await text(response);
  const isJson = body !== '' && mediaTypeOf(headers) === 'application/json';
  const data = isJson ? parseJson(body) : undefined;
  return { status: response.statusCode ?? 0, headers, text: body, data };
}

function mediaTypeOf(headers: Answer['headers']): string | undefined {
  return headers.get('content-type')?.split(';')[0];
}

/** The codes that an error with a status may have. A status without a code of its own has the general one of its class. */
function codesOf({ errorStatuses }: Spec, status: number): string[] {
  const withStatus = (wanted: number) =>
    [...errorStatuses].filter((entry) => entry[1] === wanted).map(([code]) => code);
  const own = withStatus(status);
  // A failure may be an internal error with any status of its class.
  if (status >= 500) return [...new Set([...own, ...withStatus(500)])];
  return own.length > 0 ? own : withStatus(400);
}
