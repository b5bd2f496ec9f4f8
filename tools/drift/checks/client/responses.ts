import { isDeepStrictEqual } from 'node:util';
import { isJson, jsonText } from '../../../openapi/body.ts';
import { type Operation, resolve, type Schema } from '../../../openapi/document.ts';
import { exampleInputs, exampleValue } from '../../../openapi/examples.ts';
import type { RecordedResponse } from '../../../openapi/recorder.ts';
import { isNode, type Node, node, operationOf, type Spec } from '../../openapi.ts';
import { bodiesFor, excerpt } from '../values.ts';
import { type Client, callOf, type Row } from './calls.ts';

/** The error that a status leads to. */
export type ErrorNames = (status: number) => string;

/** What the README says of errors; a sentence where it does not name all. */
export function errorNames(readme: string, client: Client): ErrorNames | string {
  const [, names = '', statuses = ''] = /^\| (.*?) \| the service answered (.*?) \|$/m.exec(readme) ?? [];
  const rows = names.split(', ').map((name, i) => [name.replaceAll('`', ''), statuses.split(', ')[i] ?? ''] as const);
  const missing = Object.keys(client).find((name) => name.endsWith('Error') && !readme.includes(`\`${name}\``));
  if (missing !== undefined) return `it does not name ${missing}`;
  const said = (status: string) => rows.find(([, text]) => text.endsWith(status))?.[0];
  return (status) => said(String(status)) ?? said(`${String(status)[0]}xx`) ?? 'UnexpectedResponseError';
}

/** What the client makes wrong of the responses that an operation declares, one sentence each. */
export async function wronglyRead(client: Client, spec: Spec, row: Row, nameOf: ErrorNames): Promise<string[]> {
  const operation = operationOf(spec, row);
  if (!operation) return [];
  const [{ inputs } = { inputs: {} }] = exampleInputs(spec, operation);
  const call = (answers: Partial<RecordedResponse>[], options = {}, use?: Parameters<typeof callOf>[6]) =>
    callOf(client.petstore, spec, row, inputs, options, answers, use);
  const found: string[] = [];
  for (const [status, schema] of successesOf(spec, operation))
    for (const body of schema ? dataFor(spec, schema) : []) {
      const answer = { status, contentType: 'application/json', body: jsonText(body) };
      const { result, error } = await call([answer]);
      const data = row.successes.length > 1 ? node(result).data : result;
      if (error || !isDeepStrictEqual(plain(data), plain(body)))
        found.push(`${status} with ${excerpt(body)} is read as ${error ?? excerpt(data)}`);
    }
  const first = successesOf(spec, operation)[0]?.[0] ?? 200;
  for (const [code, status] of Object.entries(spec.model.service.statuses)) {
    const answer = errorAnswer(status, code);
    const { error } = await call([answer]);
    found.push(...errorErrors(client, error, { ...answer, code, name: nameOf(status) }));
    // Who is asked to come back does.
    if (!isAskedBack(spec, operation, status)) continue;
    const { sent } = await call([answer, { status: first }], { retry: 1 });
    if (sent.length !== 2) found.push(`a request that is answered ${status} with Retry-After is not sent again`);
  }
  const [data] = dataFor(spec, successesOf(spec, operation)[0]?.[1]);
  const texts = {
    ...(row.successes.every((one) => /^\d+$/.test(one)) && { 299: jsonText(data ?? null) }),
    ...(row.responses[row.successes[0] ?? '']?.kind === 'json' && { [first]: '{' }),
  };
  for (const [status, body] of Object.entries(texts)) {
    const { error } = await call([{ status: Number(status), contentType: 'application/json', body }]);
    if (node(error).name !== 'UnexpectedResponseError')
      found.push(`${status} with ${body.slice(0, 40)}, which is not declared, ends with ${node(error).name}`);
  }
  return [...found, ...(await pageErrors(row, data, call))];
}

function errorAnswer(status: number, code: string) {
  const headers = { 'x-request-id': 'of-the-service', 'retry-after': '0' };
  const body = JSON.stringify({ code, message: `It is ${code}.`, status });
  return { status, contentType: 'application/json', headers, body };
}

function errorErrors(
  client: Client,
  error: unknown,
  wanted: { status: number; code: string; name: string; body: string },
) {
  const { name, status, code, body } = wanted;
  const actual = error as Partial<Record<string, unknown>>;
  // By name: the error classes are those that the README of the checked project names.
  const kinds = client as unknown as Record<string, new () => unknown>;
  const differs = (what: string, is: unknown, should: unknown) =>
    isDeepStrictEqual(is, should) ? [] : [`${status} ${code} ends with ${what} ${excerpt(is)}, not ${excerpt(should)}`];
  return [
    ...differs('the error', actual.name, name),
    ...differs(
      'instanceof',
      [name, 'PetstoreError'].map((kind) => kinds[kind] && error instanceof kinds[kind]),
      [true, true],
    ),
    ...differs('the code', actual.code, code),
    ...differs('the status', actual.status, status),
    ...differs('the message', actual.message, `It is ${code}.`),
    ...differs('the request', actual.requestId, 'of-the-service'),
    ...differs('the body', actual.body, JSON.parse(body)),
    ...differs('Retry-After', (actual.headers as Headers | undefined)?.get('retry-after'), '0'),
  ];
}

/** The declared successes that have one status, each with the schema of its JSON. */
export function successesOf(spec: Spec, { object }: Operation): [status: number, schema: Schema | undefined][] {
  const successes = Object.entries(object.responses ?? {}).filter(([status]) => /^2\d\d$/.test(status));
  return successes.map(([status, response]) => {
    const [, media] =
      Object.entries(node(node(resolve(spec, node(response))).content)).find(([type]) => isJson(type)) ?? [];
    return [Number(status), node(media).schema as Schema | undefined];
  });
}

/** Values of a response: objects, and lists of them, with each property at its edges. */
export function dataFor(spec: Spec, schema: Schema | undefined): unknown[] {
  if (!schema) return [];
  const { items } = resolve(spec, schema);
  const bodies = bodiesFor(spec, isNode(items) ? items : schema);
  if (bodies.length === 0) return [exampleValue(spec, schema, true)];
  return items ? [bodies, []] : bodies;
}

/** Whether a response with this status says when to come back. */
function isAskedBack(spec: Spec, { object }: Operation, status: number): boolean {
  const { responses = {} } = object;
  const { headers } = node(resolve(spec, node(responses[status] ?? responses.default)));
  return [409, 429, 503].includes(status) && 'Retry-After' in node(headers);
}

/** What is wrong with the way through two pages. */
async function pageErrors(
  { pagination, path }: Row,
  example: unknown,
  call: (
    answers: Partial<RecordedResponse>[],
    options: object,
    use: Parameters<typeof callOf>[6],
  ) => ReturnType<typeof callOf>,
): Promise<string[]> {
  if (!pagination) return [];
  const { by, items, next = '', more = '', key = '', cursor = '' } = pagination;
  const elements = (items === undefined ? example : node(example)[items]) as unknown[];
  const [one, other] = [elements.slice(0, 1), elements.slice(-1)];
  const page = (list: unknown[], hasMore: boolean) =>
    items === undefined
      ? list
      : {
          ...node(example),
          [items]: list,
          ...(next && { [next]: hasMore ? 7 : null }),
          ...(more && { [more]: hasMore }),
        };
  const answer = (list: unknown[], hasMore: boolean) => ({
    status: 200,
    contentType: 'application/json',
    body: jsonText(page(list, hasMore)),
    ...(by === 'link' && hasMore && { headers: { link: '<?a=b>; rel="prev", <?next=page>; rel="next"' } }),
  });
  const last = by === 'last' && !more ? [answer([], false)] : [];
  const { sent, result, error } = await call(
    [answer(one, true), answer(other, false), ...last],
    {},
    (started) => started.collect?.({ max: 10 }) ?? started,
  );
  const wanted =
    by === 'link' ? `${path}?next=page` : String(by === 'body' ? 7 : isNode(one[0]) ? one[0][key] : one[0]);
  const target = sent[1]?.target ?? 'nothing';
  const isFollowed =
    by === 'link' ? target === wanted : new URLSearchParams(target.split('?')[1]).get(cursor) === wanted;
  return [
    ...(isFollowed ? [] : [`the page behind the first is asked for with ${target}, not ${wanted}`]),
    ...(isDeepStrictEqual(plain(result), plain([...one, ...other]))
      ? []
      : [`two pages are read as ${error ?? excerpt(result)}`]),
  ];
}

/** A value without prototypes, as it compares. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isNode(value)) return value;
  return Object.fromEntries(Object.entries(value as Node).map(([name, one]) => [name, plain(one)]));
}
