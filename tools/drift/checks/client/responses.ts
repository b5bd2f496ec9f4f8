import { isDeepStrictEqual } from 'node:util';
import { jsonText } from '../../../openapi/body.ts';
import { plainJson } from '../../../openapi/compare.ts';
import { declaredResponse, isNode, type Node, node } from '../../openapi.ts';
import { dataFor, excerpt, successesOf } from '../values.ts';
import { type ClientOperation, call, jsonResponse } from './requests.ts';

/** The name of the error that a status leads to. */
export type ErrorNameOf = (status: number) => string;

/** The names of errors that the README gives. */
export function errorNames(readme: string): ErrorNameOf {
  const [, names = '', statuses = ''] = /^\| (.*?) \| the service responded with (.*?) \|$/m.exec(readme) ?? [];
  const rows = names.split(', ').map((name, i) => [name.replaceAll('`', ''), statuses.split(', ')[i] ?? ''] as const);
  const nameOf = (status: string) => rows.find(([, text]) => text.endsWith(status))?.[0];
  return (status) => nameOf(String(status)) ?? nameOf(`${String(status)[0]}xx`) ?? 'UnexpectedResponseError';
}

/** Errors in how the client reads the responses that an operation declares, one sentence each. */
export async function* responseErrors(subject: ClientOperation, nameOf: ErrorNameOf): AsyncGenerator<string> {
  const { spec, operation, modelOperation } = subject;
  const successes = successesOf(spec, operation);
  const [[firstStatus = 200, firstSchema] = []] = successes;
  for (const [status, schema] of successes)
    for (const body of schema ? dataFor(spec, schema) : []) {
      const { result, error } = await call(subject, { responses: [jsonResponse(status, jsonText(body))] });
      const data = modelOperation.successes.length > 1 ? node(result).data : result;
      if (error || !isDeepStrictEqual(data, plainJson(body)))
        yield `${status} with ${excerpt(body)} is read as ${error ?? excerpt(data)}`;
    }
  for (const [code, status] of Object.entries(spec.model.service.statuses)) {
    const body = { code, message: `It is ${code}.`, status };
    const headers = { 'x-request-id': 'of-the-service', 'retry-after': '0' };
    const response = jsonResponse(status, JSON.stringify(body), headers);
    const { error } = await call(subject, { responses: [response] });
    yield* thrownErrors(subject.client, error, body, nameOf(status));
    if (!isRetried(subject, code, status)) continue;
    const { sent } = await call(subject, { retry: 1, responses: [response, { status: firstStatus }] });
    if (sent.length !== 2) yield `a request that gets ${status} with Retry-After is not sent again`;
  }
  const [data] = dataFor(spec, firstSchema);
  const undeclaredBodies = {
    ...(modelOperation.successes.every((status) => /^\d+$/.test(status)) && { 299: jsonText(data ?? null) }),
    ...(modelOperation.responses[modelOperation.successes[0] ?? '']?.kind === 'json' && { [firstStatus]: '{' }),
  };
  for (const [status, body] of Object.entries(undeclaredBodies)) {
    const { error } = await call(subject, { responses: [jsonResponse(Number(status), body)] });
    if (node(error).name !== 'UnexpectedResponseError')
      yield `${status} with ${body.slice(0, 40)}, which is not declared, ends with ${node(error).name}`;
  }
  yield* pageErrors(subject, data);
}

/** Differences between a thrown error and the error of the service that the response contains. */
function thrownErrors(client: ClientOperation['client'], thrown: unknown, body: Node, name: string): string[] {
  const { status, code, message } = body;
  const actual = node(thrown);
  // The README of the checked project names the classes, so the types do not know the names.
  const classes = client as unknown as Record<string, new () => unknown>;
  const isInstanceOf = (className: string) => classes[className] && thrown instanceof classes[className];
  const facts: [fact: string, actual: unknown, expected: unknown][] = [
    ['the error', actual.name, name],
    ['instanceof', [name, 'PetstoreError'].map(isInstanceOf), [true, true]],
    ['the code', actual.code, code],
    ['the status', actual.status, status],
    ['the message', actual.message, message],
    ['the request', actual.requestId, 'of-the-service'],
    ['the body', actual.body, body],
    ['Retry-After', (actual.headers as Headers | undefined)?.get('retry-after'), '0'],
  ];
  return facts
    .filter(([, fact, expected]) => !isDeepStrictEqual(fact, expected))
    .map(([name, fact, expected]) => `${status} ${code} ends with ${name} ${excerpt(fact)}, not ${excerpt(expected)}`);
}

/** The codes after which the same request may succeed. A conflict with another code may last. */
const RETRYABLE_CODES = ['request_in_flight', 'rate_limited', 'unavailable'];

/** Whether an error with this code states in Retry-After when to retry. */
function isRetried({ spec, operation }: ClientOperation, code: string, status: number): boolean {
  const { headers } = declaredResponse(spec, operation, status) ?? {};
  return RETRYABLE_CODES.includes(code) && 'Retry-After' in node(headers);
}

/** Errors in following two pages. */
async function* pageErrors(subject: ClientOperation, example: unknown): AsyncGenerator<string> {
  const { pagination } = subject.modelOperation;
  if (!pagination) return;
  const { by, items, next = '', more = '', key = '' } = pagination;
  const elements = (items === undefined ? example : node(example)[items]) as unknown[];
  const keyOf = (element: unknown) => (isNode(element) ? element[key] : element);
  const [first] = elements;
  // Pages that end with the same key would be the same page.
  const last = elements.findLast((element) => keyOf(element) !== keyOf(first)) ?? elements.at(-1);
  const page = (list: unknown[], hasMore: boolean) => {
    const cursors = { ...(next && { [next]: hasMore ? 7 : null }), ...(more && { [more]: hasMore }) };
    const body = items === undefined ? list : { ...node(example), [items]: list, ...cursors };
    const link = by === 'link' && hasMore ? { link: '<?a=b>; rel="prev", <?cursor=page>; rel="next"' } : {};
    return jsonResponse(200, jsonText(body), link);
  };
  const { sent, result, error } = await call(subject, {
    responses: [page([first], true), page([last], false), ...(by === 'last' && !more ? [page([], false)] : [])],
    use: (started) => started.collect?.({ max: 10 }) ?? started,
  });
  const cursor = by === 'link' ? 'cursor' : (pagination.cursor ?? '');
  const expected = { link: 'page', body: '7', last: String(keyOf(first)) }[by];
  const [target, nextTarget] = sent.map((request) => new URL(request.target, 'http://localhost'));
  if (nextTarget?.pathname !== target?.pathname || nextTarget?.searchParams.get(cursor) !== expected)
    yield `the second page is requested with ${sent[1]?.target}, without ${cursor}=${expected}`;
  // The client adds only credentials to a link.
  const schemes = Object.values(subject.spec.root.components?.securitySchemes ?? {});
  const isCredential = (key: string) => schemes.some((scheme) => scheme.in === 'query' && scheme.name === key);
  const keys = by === 'link' ? [...(nextTarget?.searchParams.keys() ?? [])] : [];
  if (keys.filter((key) => !isCredential(key)).length > 1)
    yield `the link ?${cursor}=${expected} is requested with ${sent[1]?.target}`;
  if (!isDeepStrictEqual(result, plainJson([first, last]))) yield `two pages are read as ${error ?? excerpt(result)}`;
}
