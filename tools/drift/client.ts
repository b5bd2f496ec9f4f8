// D4: the client sends and reads what the spec says. A `fetch` that records its requests stands for the service.
import { isDeepStrictEqual } from 'node:util';
import { petstore } from '@petstore/client';
import { compareRequest, type Inputs, inputMembersOf, validInputs } from './requests.ts';
import { node, type Operation, type Spec } from './spec.ts';
import { differ, type Report, validValues, writeJson } from './values.ts';

type Call = PromiseLike<unknown> & AsyncIterable<unknown>;
type Methods = Record<string, (input: unknown, options?: { idempotencyKey: string }) => Call>;

const apiKey = 'drift-key';
const origin = 'http://drift.test';

export async function check(spec: Spec, report: Report): Promise<void> {
  const client = petstore({ apiKey, baseUrl: origin });
  const names = [...Object.keys(client), ...Object.getOwnPropertyNames(Object.getPrototypeOf(client))];
  const methods = new Set(names.filter((name) => !/^(?:withOptions|constructor)$/.test(name)));
  differ(report, 'the set of methods', [...methods].sort(), spec.operations.map(({ id }) => id).sort());
  for (const operation of spec.operations.filter(({ id }) => methods.has(id))) {
    for (const inputs of validInputs(spec, operation)) await checkRequest(spec, operation, inputs, report);
    await checkResponses(spec, operation, report);
    await checkPages(spec, operation, report);
  }
}

/** Calls an operation with prepared responses. `each` gets the elements of all pages. */
async function call(
  spec: Spec,
  operation: Operation,
  inputs: Inputs,
  responses: Response[],
  key?: string,
  each?: (item: unknown) => void,
) {
  const requests: { request: Request; body: string }[] = [];
  const record: typeof fetch = async (...args) => {
    const request = new Request(...args);
    requests.push({ request, body: await request.text() });
    return responses[requests.length - 1] ?? Response.error();
  };
  const baseUrl = `${origin}${spec.basePath}`;
  const client = petstore({ apiKey, baseUrl, fetch: record, retry: 0, on: { deprecated: () => {} } });
  const body =
    inputs.body !== undefined && (inputMembersOf(spec, operation) ? node(inputs.body) : { body: inputs.body });
  try {
    const input = { ...inputs.parameters, ...body };
    const started = (client as unknown as Methods)[operation.id]?.(input, ...(key ? [{ idempotencyKey: key }] : []));
    const data = each ? undefined : await started;
    if (each) for await (const item of started ?? []) each(item);
    return { requests, data };
  } catch (error) {
    return { requests, error };
  }
}

/** A response as the spec declares it. */
function responseOf({ responses }: Operation, status: number, data?: unknown, headers: Record<string, string> = {}) {
  const { body } = responses[status] ?? responses.default ?? {};
  const type = body && { 'content-type': body.type };
  return new Response(body ? writeJson(data) : null, { status, headers: { ...headers, ...type } });
}

const successesOf = ({ responses }: Operation) =>
  Object.keys(responses)
    .map(Number)
    .filter((status) => status < 300);

const bodiesOf = (spec: Spec, { responses }: Operation, status: number): unknown[] => {
  const { body } = responses[status] ?? {};
  return body ? [...body.examples, ...validValues(spec, body.schema)] : [undefined];
};

async function checkRequest(spec: Spec, operation: Operation, inputs: Inputs, report: Report): Promise<void> {
  const name = `${operation.id}(${writeJson(inputs.body ?? inputs.parameters).slice(0, 80)})`;
  const [status = 204] = successesOf(operation);
  const [data] = bodiesOf(spec, operation, status);
  const { requests, error } = await call(spec, operation, inputs, [responseOf(operation, status, data)]);
  const [{ request, body } = { body: '' }] = requests;
  if (!request || error) return report(`${name} fails: ${error}`);
  compareRequest(spec, operation, inputs, request, body, name, report);
  differ(report, `${name}: the header authorization`, request.headers.get('authorization'), `Bearer ${apiKey}`);
  const { idempotencyKey } = operation;
  if (!idempotencyKey) return;
  const again = await call(spec, operation, inputs, [responseOf(operation, status, data)], 'of-the-caller');
  const third = await call(spec, operation, inputs, [responseOf(operation, status, data)]);
  if (third.requests[0]?.request.headers.get(idempotencyKey.name) === request.headers.get(idempotencyKey.name))
    report(`${name}: two calls have one key`);
  differ(
    report,
    `${name}: the caller's key`,
    again.requests[0]?.request.headers.get(idempotencyKey.name),
    'of-the-caller',
  );
}

/** Declared responses are returned, or thrown with their status and code. */
async function checkResponses(spec: Spec, operation: Operation, report: Report): Promise<void> {
  const [inputs] = validInputs(spec, operation);
  const successes = successesOf(operation);
  for (const status of successes)
    for (const data of bodiesOf(spec, operation, status)) {
      const found = await call(spec, operation, inputs, [responseOf(operation, status, data)]);
      const wanted = successes.length > 1 ? { status, data } : data;
      differ(report, `${operation.id}: the result for ${status}`, found.error ? `${found.error}` : found.data, wanted);
    }
  for (const [code, status] of Object.entries(spec.statuses)) {
    const sent = responseOf(operation, status, { code, message: 'A message.', status });
    const { error } = await call(spec, operation, inputs, [sent]);
    differ(
      report,
      `${operation.id}: the error for ${status} ${code}`,
      [node(error).status, node(error).code, node(error).message],
      [status, code, 'A message.'],
    );
  }
}

/** `for await` follows the link to the next page. */
async function checkPages(spec: Spec, operation: Operation, report: Report): Promise<void> {
  const { id, path, pagination } = operation;
  if (!pagination) return;
  const [inputs] = validInputs(spec, operation);
  const pages = bodiesOf(spec, operation, 200)
    .filter((page) => Array.isArray(page) && page.length > 0)
    .slice(-2);
  const next = `?${pagination.limit}=2&${pagination.cursor}=7`;
  const links = [{ link: `<${next}>; rel="next"` }, {}];
  const found: unknown[] = [];
  const responses = pages.map((page, i) => responseOf(operation, 200, page, links[i]));
  const { requests, error } = await call(spec, operation, inputs, responses, undefined, (item) => found.push(item));
  differ(report, `${id}: the next page`, requests[1]?.request.url, `${origin}${spec.basePath}${path}${next}`);
  if (!isDeepStrictEqual(found, pages.flat()))
    report(`${id}: for await gives ${error ?? writeJson(found).slice(0, 100)}`);
}
