// D4: the client sends and reads what the spec says. A `fetch` that records its requests stands for the service.
import { petstore } from '@petstore/client';
import { exactJson, parseExact } from '@petstore/types';
import { recordOf as node } from '../generate/document.ts';
import { type Inputs, requestOf, validInputs, validValues } from './requests.ts';
import { differ, type Operation, type Report, type Spec } from './spec.ts';

type Call = PromiseLike<unknown> & AsyncIterable<unknown>;
type Methods = Record<string, (input: unknown, options?: { idempotencyKey: string }) => Call>;

const apiKey = 'drift-key';
const origin = 'http://drift.test';

export async function check(spec: Spec, report: Report): Promise<void> {
  const client = petstore({ apiKey, baseUrl: origin });
  const names = [
    ...Object.keys(client),
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(client)),
  ];
  const methods = new Set(names.filter((name) => !/^(?:withOptions|constructor)$/.test(name)));
  differ(
    report,
    'the set of methods',
    [...methods].sort(),
    spec.operations.map(({ id }) => id).sort(),
  );
  for (const operation of spec.operations.filter(({ id }) => methods.has(id))) {
    for (const inputs of validInputs(spec, operation))
      await checkRequest(spec, operation, inputs, report);
    await checkResponses(spec, operation, report);
    await checkPages(spec, operation, report);
  }
}

/** Calls an operation with prepared responses: for its data, or for the elements of all pages. */
async function call(
  { basePath }: Spec,
  operation: Operation,
  inputs: Inputs,
  responses: readonly Response[],
  { key, isPaged }: { key?: string | undefined; isPaged?: boolean } = {},
) {
  const requests: { request: Request; body: string }[] = [];
  const record: typeof fetch = async (...args) => {
    const request = new Request(...args);
    requests.push({ request, body: await request.text() });
    return responses[requests.length - 1] ?? Response.error();
  };
  const on = { deprecated: () => {} };
  const client = petstore({ apiKey, baseUrl: origin + basePath, fetch: record, retry: 0, on });
  const body =
    inputs.body !== undefined &&
    (operation.body?.whole ? { body: inputs.body } : node(inputs.body));
  try {
    const input = { ...inputs.parameters, ...body };
    // The operations of the spec may differ from those that the client has, which is what is checked.
    const started = (client as unknown as Methods)[operation.id]?.(
      input,
      ...(key ? [{ idempotencyKey: key }] : []),
    );
    if (!isPaged) return { requests, data: await started };
    const data: unknown[] = [];
    for await (const item of started ?? []) data.push(item);
    return { requests, data };
  } catch (error) {
    return { requests, error };
  }
}

/** A response as the spec declares it. */
function responseOf(
  { responses }: Operation,
  status: number,
  data?: unknown,
  headers: Record<string, string> = {},
) {
  const { schema } = responses[status] ?? responses.default ?? {};
  const type = schema && { 'content-type': 'application/json' };
  return new Response(schema ? exactJson(data) : null, {
    status,
    headers: { ...headers, ...type },
  });
}

function bodiesOf(spec: Spec, { responses }: Operation, status: number): unknown[] {
  const { schema } = responses[status] ?? {};
  return schema ? validValues(spec, schema) : [undefined];
}

/** What is sent is what the spec requires. A write carries a key of its own, or that of the caller. */
async function checkRequest(
  spec: Spec,
  operation: Operation,
  inputs: Inputs,
  report: Report,
): Promise<void> {
  const { idempotencyKey } = operation;
  const name = `${operation.id}(${exactJson(inputs.body ?? inputs.parameters).slice(0, 80)})`;
  const status = Number(operation.successes[0]);
  const [data] = bodiesOf(spec, operation, status);
  const calling = (key?: string) =>
    call(spec, operation, inputs, [responseOf(operation, status, data)], { key });
  const { requests, error } = await calling();
  const [{ request, body } = { body: '' }] = requests;
  if (!request || error) return report(`${name} fails: ${error}`);
  const wanted = requestOf(operation, inputs);
  const { pathname, searchParams } = new URL(request.url);
  const sorted = (pairs: Iterable<readonly [string, string]>) => [...pairs].map(String).sort();
  const path = decodeURIComponent(spec.basePath + wanted.path);
  differ(report, `${name}: the method`, request.method, wanted.method);
  differ(report, `${name}: the path`, decodeURIComponent(pathname), path);
  differ(report, `${name}: the query`, sorted(searchParams), sorted(wanted.query));
  differ(
    report,
    `${name}: the body`,
    body && parseExact(body),
    wanted.body ? parseExact(wanted.body) : '',
  );
  const header = idempotencyKey?.header.toLowerCase() ?? '';
  const headers = [...request.headers].filter(
    ([each]) => !['accept', 'user-agent', header].includes(each),
  );
  const authorization = `Bearer ${apiKey}`;
  differ(report, `${name}: the headers`, Object.fromEntries(headers), {
    ...wanted.headers,
    authorization,
  });
  if (!idempotencyKey) return;
  const keyOf = async (key?: string) =>
    (await calling(key)).requests[0]?.request.headers.get(header);
  const fault = spec.faultOf(idempotencyKey.schema, request.headers.get(header));
  if (fault) report(`${name}: the header ${header} ${fault}`);
  if ((await keyOf()) === request.headers.get(header)) report(`${name}: two calls have one key`);
  differ(report, `${name}: the caller's key`, await keyOf('of-the-caller'), 'of-the-caller');
}

/** Declared responses are returned, or thrown with their status and code. */
async function checkResponses(spec: Spec, operation: Operation, report: Report): Promise<void> {
  const [inputs] = validInputs(spec, operation);
  const successes = operation.successes.map(Number);
  for (const status of successes)
    for (const data of bodiesOf(spec, operation, status)) {
      const found = await call(spec, operation, inputs, [responseOf(operation, status, data)]);
      const wanted = successes.length > 1 ? { status, data } : data;
      differ(
        report,
        `${operation.id}: the result for ${status}`,
        found.error ? `${found.error}` : found.data,
        wanted,
      );
    }
  for (const [code, status] of Object.entries(spec.statuses)) {
    const sent = responseOf(operation, status, { code, message: 'A message.', status });
    const { error } = await call(spec, operation, inputs, [sent]);
    const found = [node(error).status, node(error).code, node(error).message];
    differ(report, `${operation.id}: the error for ${status} ${code}`, found, [
      status,
      code,
      'A message.',
    ]);
  }
}

/** `for await` goes on with the next page: the cursor is that of the link, and the key of the last element. */
async function checkPages(spec: Spec, operation: Operation, report: Report): Promise<void> {
  const { id, pagination } = operation;
  if (!pagination) return;
  const { cursor, key, limit } = pagination;
  const inputs = { parameters: { ...validInputs(spec, operation)[0].parameters, [limit]: 2 } };
  const pages = bodiesOf(spec, operation, 200).filter(
    (page) => Array.isArray(page) && page.length > 0,
  );
  pages.splice(0, pages.length - 2);
  const query = `${limit}=2&${cursor}=${node([pages[0]].flat().at(-1))[key]}`;
  const links = [{ link: `<?${query}>; rel="next"` }, {}];
  const responses = pages.map((page, i) => responseOf(operation, 200, page, links[i]));
  const { requests, data, error } = await call(spec, operation, inputs, responses, {
    isPaged: true,
  });
  const { search = '' } = requests[1] ? new URL(requests[1].request.url) : {};
  differ(
    report,
    `${id}: the query of the next page`,
    search.slice(1).split('&').sort(),
    query.split('&').sort(),
  );
  differ(report, `${id}: what for await gives`, error ? `${error}` : data, pages.flat());
}
