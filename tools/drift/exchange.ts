// Requests to a running server. Each response is compared with what the spec declares.
import { type Attempt, type Request, targetOf } from './cases.ts';
import type { Answer, Coverage } from './coverage.ts';
import { parseJson } from './exact.ts';
import { expectEqual } from './expect.ts';
import type { Header, Operation, Spec } from './interface.ts';
import type { Judge } from './judge.ts';
import { asNode, responseFor } from './oracle.ts';
import type { Report } from './report.ts';

/** What all checks of a server share. */
export interface Context {
  readonly spec: Spec;
  readonly judge: Judge;
  readonly report: Report;
  readonly coverage: Coverage;
}

/** The API key that the servers of the check accept. */
export const apiKey = 'a-key-for-the-drift-check';

/** Headers that HTTP itself defines for any response; `accept` is that of a 415. */
const httpHeaders = [
  'accept',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
];

/** A running server. */
export class Exchange {
  readonly context: Context;
  readonly #origin: string;

  constructor(context: Context, origin: string) {
    this.context = context;
    this.#origin = origin;
  }

  /** Sends any request, with the API key unless the headers have another. The path begins at the origin. */
  async send(request: Omit<Request, 'query'>): Promise<Answer> {
    const { method, path, headers, body } = request;
    const id = crypto.randomUUID();
    const authorization = `Bearer ${apiKey}`;
    const response = await fetch(this.#origin + path, {
      method,
      headers: { authorization, ...headers, 'x-request-id': id },
      body: body ?? null,
      redirect: 'manual',
    });
    const text = await response.text();
    if (response.headers.get('x-request-id') !== id)
      this.context.report(`${method}: X-Request-Id is not that of the request`, path);
    const isJson = text !== '' && mediaTypeOf(response.headers) === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      text,
      data: isJson ? parseJson(text) : undefined,
    };
  }

  get(path: string, headers: Request['headers'] = {}): Promise<Answer> {
    return this.send({ method: 'GET', path, headers });
  }

  /** Sends a request to an operation, and compares the response with what the spec allows for it. */
  async attempt({ operation, request, what, statuses, isAboutInputs }: Attempt): Promise<Answer> {
    const { spec, report } = this.context;
    const answer = await this.send({ ...request, path: spec.basePath + targetOf(request) });
    const name = `${request.method} ${operation.path} ${answer.status}`;
    if (answer.status === 501)
      report(
        `${name}: the operation has no handler`,
        '',
        'write it in apps/server/src/handlers.ts',
      );
    else if (!statuses.includes(answer.status))
      report(`${name}: ${wordOf(isAboutInputs)} should get ${statuses.join(' or ')}`, what);
    else if (isAboutInputs && !operation.responses.has(String(answer.status)))
      report(`${name}: the status is about the inputs, so the operation has to declare it`, what);
    this.compare(operation, answer, name, request.method === 'HEAD');
    return answer;
  }

  /** Compares a response with the one that an operation declares for its status. */
  compare(operation: Operation, answer: Answer, name: string, isHead = false): void {
    const { report, judge, coverage } = this.context;
    const declared = responseFor(operation, answer.status);
    if (!declared) {
      report(`${name}: the status is not declared`);
      return;
    }
    coverage.see(operation, answer);
    this.#compareHeaders(declared.headers, answer, name);
    this.#compareDeprecation(operation, answer, name);
    if (isHead) {
      if (answer.text !== '') report(`${name}: the response to HEAD has a body`);
      return;
    }
    const mediaType = declared.schema && 'application/json';
    expectEqual(report, `${name}: the media type`, mediaTypeOf(answer.headers), mediaType);
    const fault = declared.schema ? judge(declared.schema, answer.data) : undefined;
    if (fault) report(`${name}: the body is not what the spec declares`, fault);
    if (answer.status >= 400) this.compareError(answer, name);
  }

  /** The body of an error has the HTTP status, and a code of this status. */
  compareError({ status, data }: Answer, name: string): void {
    const { spec, report, coverage } = this.context;
    const { code, status: stated } = asNode(data);
    coverage.seeCode(String(code));
    expectEqual(report, `${name}: the property status`, stated, status);
    const codes = codesOf(spec, status);
    if (!codes.includes(String(code)))
      report(`${name}: the code is ${code}, not ${codes.join(' or ')}`);
  }

  #compareHeaders(declared: ReadonlyMap<string, Header>, answer: Answer, name: string): void {
    const allowed = new Map([...this.context.spec.commonHeaders, ...declared]);
    for (const [header, declaration] of allowed)
      this.#compareHeader(header, declaration, answer, `${name}: the header ${header}`);
    for (const header of answer.headers.keys())
      if (!allowed.has(header) && !httpHeaders.includes(header))
        this.context.report(`${name}: the header ${header} is not declared`);
  }

  #compareHeader(
    header: string,
    declared: Header,
    { status, headers }: Answer,
    name: string,
  ): void {
    const { report, judge } = this.context;
    const { required, requiredWith, schema } = declared;
    const value = headers.get(header);
    if (value === null) {
      const isOptional = !required && !requiredWith.includes(status);
      if (!isOptional) report(`${name} is missing`);
      return;
    }
    const fault = judge(schema, schema.type === 'integer' ? Number(value) : value);
    if (fault) report(name, fault);
  }

  /** Each response of a deprecated operation says since when, until when, and what to use instead. */
  #compareDeprecation(operation: Operation, { headers }: Answer, name: string): void {
    const { spec, report } = this.context;
    const { deprecatedSince, sunset, successor } = operation;
    const since = deprecatedSince && `@${Date.parse(deprecatedSince) / 1000}`;
    const until = sunset && new Date(sunset).toUTCString();
    if (since) expectEqual(report, `${name}: Deprecation`, headers.get('deprecation'), since);
    if (until) expectEqual(report, `${name}: Sunset`, headers.get('sunset'), until);
    const target = spec.operations.find(({ id }) => id === successor);
    const link = `<${spec.basePath}${target?.path}>; rel="successor-version"`;
    if (target && !headers.get('link')?.includes(link)) report(`${name}: Link lacks ${link}`);
  }
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

export function mediaTypeOf(headers: Headers): string | undefined {
  return headers.get('content-type')?.split(';')[0];
}

function wordOf(isAboutInputs: boolean): string {
  return isAboutInputs ? 'these inputs' : 'this request';
}
