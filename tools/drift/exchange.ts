// Requests to a running server. Each answer is compared with what the spec declares.
import { exactJson, parseExact } from '@petstore/types';
import { recordOf as node } from '../generate/document.ts';
import type { Request } from './requests.ts';
import { commonHeaders, differ, type Operation, type Report, type Spec } from './spec.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON, with exact integers. */
  readonly data: unknown;
}

export type Exchange = ReturnType<typeof exchangeWith>;

/** What the spec declares and no request to a healthy server can cause: error codes and headers, with the reason. */
const unprovoked: Readonly<Record<string, string>> = {
  request_in_flight: 'it needs requests that overlap',
  rate_limited: 'it needs a server with a rate limit',
  internal_error: 'it needs a bug',
  unavailable: 'it needs a store that fails',
  'retry-after': 'it comes with these codes only',
};

/** Headers that HTTP itself defines for any response, and those that the spec declares for all. */
const undeclared =
  'accept connection content-length content-type date keep-alive transfer-encoding'.split(' ');
undeclared.push(...commonHeaders.map((name) => name.toLowerCase()));

/** The functions that send requests to one server, and remember what came. */
export function exchangeWith(spec: Spec, origin: string, key: string, report: Report) {
  /** The statuses, headers, members and error codes that came. */
  const seen = new Set<string>();

  /** Sends any request, with an API key unless the headers have another. */
  async function ask(
    method: string,
    path: string,
    headers: Request['headers'] = {},
    body?: string,
  ): Promise<Answer> {
    const id = crypto.randomUUID();
    const all = { authorization: `Bearer ${key}`, ...headers, 'x-request-id': id };
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: all,
      body: body ?? null,
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = text && /json/.test(response.headers.get('content-type') ?? '');
    differ(report, `${method}: the header X-Request-Id`, response.headers.get('x-request-id'), id);
    differ(
      report,
      `${method}: X-Content-Type-Options`,
      response.headers.get('x-content-type-options'),
      'nosniff',
    );
    return {
      status: response.status,
      headers: response.headers,
      text,
      data: isJson ? parseExact(text) : undefined,
    };
  }

  /** Sends a request of an operation. 200 among the wanted statuses stands for any success. */
  async function call(
    operation: Operation,
    request: Request,
    why: string,
    wanted: readonly number[],
  ): Promise<Answer> {
    const query = request.query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
    const path = `${spec.basePath}${request.path}${query && `?${query}`}`;
    const answer = await ask(request.method, path, request.headers, request.body);
    const name = `${request.method} ${operation.path} ${answer.status}`;
    if (answer.status === 501) report(`${name}: the operation has no handler`, 'write one');
    else if (!wanted.includes(answer.status < 300 ? 200 : answer.status))
      report(`${name}: ${why} should get ${wanted.join(' or ')}`);
    check(operation, answer, name, request.method === 'HEAD');
    return answer;
  }

  /** Compares an answer with the response that an operation declares. */
  function check(
    operation: Operation,
    { status, headers, data }: Answer,
    name: string,
    isHead: boolean,
  ): void {
    const declaredStatus = operation.responses[status] ? status : 'default';
    const response = operation.responses[declaredStatus];
    if (!response) return report(`${name}: the status is not declared`);
    const see = (what: string) => seen.add(`${operation.id} ${status} ${what}`);
    see('');
    const declared = operation.headers[declaredStatus] ?? {};
    for (const [header, { required, schema }] of Object.entries(declared)) {
      const value = headers.get(header);
      if (value === null && required) report(`${name}: the required header ${header} is missing`);
      if (value === null) continue;
      see(header);
      const isNumber = /integer|number/.test(String(spec.follow(schema).type));
      const fault = spec.faultOf(schema, isNumber ? Number(value) : value);
      if (fault) report(`${name}: header ${header} ${fault}`);
    }
    for (const header of headers.keys())
      if (!declared[header] && !undeclared.includes(header))
        report(`${name}: header ${header} is not declared`);
    if (isHead) return;
    const type = headers.get('content-type')?.split(';')[0];
    differ(report, `${name}: the media type`, type, response.schema && 'application/json');
    const fault = response.schema && spec.faultOf(response.schema, data);
    if (fault) report(`${name}: the body ${fault}`);
    for (const item of [data].flat())
      for (const member of Object.keys(node(item))) see(`member ${member}`);
    if (status >= 400) checkError(name, status, data);
  }

  /** An error has the HTTP status, and a code of that status, or that of 400 or 500 for a status without one and for a failure. */
  function checkError(name: string, status: number, data: unknown): void {
    const { code, status: stated } = node(data);
    seen.add(String(code));
    differ(report, `${name}: the member status`, stated, status);
    const own = Object.keys(spec.statuses).filter((each) => spec.statuses[each] === status);
    const usual = status < 500 ? own.length === 0 && 400 : 500;
    const found = spec.statuses[String(code)];
    if (found !== status && found !== usual)
      report(
        `${name}: the code is ${exactJson(code)}, not ${own.join(' or ') || 'one of this class'}`,
      );
  }

  /** Reports what the spec declares and no answer had. */
  function checkCoverage(): void {
    const fix = 'correct the server or the spec, or give the reason in tools/drift/exchange.ts';
    const codes = Object.keys(spec.statuses);
    for (const { id, method, path, responses, headers } of spec.operations)
      for (const [status, { schema }] of Object.entries(responses)) {
        const own = codes.filter((code) => spec.statuses[code] === Number(status));
        if (status === 'default' || (own.length > 0 && own.every((code) => unprovoked[code])))
          continue;
        const full = spec.follow(schema);
        const members = Object.keys(spec.follow(full.items ?? full).properties ?? {}).map(
          (name) => `member ${name}`,
        );
        const wanted = seen.has(`${id} ${status} `)
          ? [...Object.keys(headers[status] ?? {}), ...members]
          : [''];
        for (const what of wanted.filter(
          (each) => !seen.has(`${id} ${status} ${each}`) && !unprovoked[each],
        ))
          report(`${method} ${path} ${status}: the ${what || 'status'} is in no answer`, fix);
      }
    for (const code of codes.filter((each) => !seen.has(each) && !unprovoked[each]))
      report(`the error code ${code} is in no answer`, fix);
  }

  return { ask, call, checkError, checkCoverage };
}
