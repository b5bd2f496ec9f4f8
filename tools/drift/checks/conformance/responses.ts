import { covers, essenceOf, isJson } from '../../../openapi/body.ts';
import { readJson } from '../../../openapi/compare.ts';
import { type Operation, resolve, type Schema } from '../../../openapi/document.ts';
import { valueErrors } from '../../../openapi/validate.ts';
import { declaredResponse, type Node, node, type Spec } from '../../openapi.ts';

/** Headers of HTTP itself, and those that the spec describes once for every response. */
const HTTP_HEADERS =
  /^(?:accept|connection|content-length|content-type|date|keep-alive|transfer-encoding|x-request-id|x-content-type-options|ratelimit(?:-policy)?)$/;

/** Violations of the spec in a response: in its status, its headers, and each property of its body. */
export async function responseViolations(spec: Spec, operation: Operation, response: Response): Promise<string[]> {
  return [...violationsIn(spec, operation, response, await response.text())];
}

function* violationsIn(spec: Spec, operation: Operation, response: Response, text: string): Generator<string> {
  const { status } = response;
  const declared = declaredResponse(spec, operation, status);
  if (!declared) return yield `status ${status} is not declared`;
  yield* headerViolations(spec, node(declared.headers), response);
  if (operation.method !== 'HEAD') yield* bodyViolations(spec, node(declared.content), response, text);
  yield* deprecationErrors(spec, operation, response);
  if (status === 401) yield* challengeErrors(spec, operation, response);
}

function* headerViolations(spec: Spec, declared: Node, { status, headers }: Response): Generator<string> {
  const known = new Map(
    Object.entries(declared).map(([name, header]) => [name.toLowerCase(), node(resolve(spec, node(header)))]),
  );
  for (const [name, text] of headers) {
    if (HTTP_HEADERS.test(name)) continue;
    const header = known.get(name);
    const schema = resolve(spec, node(header?.schema));
    const errors = valueErrors(spec, 'response')(schema, parsedHeader(text, schema));
    if (!header) yield `header ${name} is not declared`;
    else if (errors) yield `header ${name} is '${text}': ${errors}`;
  }
  for (const [name, { required }] of known) {
    // A temporary error has to say when to retry, if the spec declares the header.
    const isExpected = required || (name === 'retry-after' && [429, 503].includes(status));
    if (isExpected && !headers.has(name)) yield `header ${name} is missing`;
  }
}

/** The value of a header by the type in its schema. */
function parsedHeader(text: string, { type }: Schema): unknown {
  const types = [type ?? 'string'].flat();
  if (types.includes('integer') || types.includes('number')) return Number(text);
  if (types.includes('boolean')) return text === 'true' ? true : text === 'false' ? false : text;
  return types.includes('array') ? text.split(',').map((item) => item.trim()) : text;
}

function* bodyViolations(spec: Spec, declared: Node, response: Response, text: string): Generator<string> {
  const type = essenceOf(response.headers.get('content-type') ?? '');
  if (Object.keys(declared).length === 0) {
    if (text !== '') yield 'a body is not declared';
    return;
  }
  const [, media] = Object.entries(declared).find(([name]) => covers(essenceOf(name), type)) ?? [];
  if (media === undefined) return yield `content type '${type}' is not declared`;
  if (!isJson(type)) return;
  const body = readJson(text);
  // `readJson` returns `{ notJson: text }` for a text that is not JSON.
  if (Object.hasOwn(node(body), 'notJson')) return yield `body '${text.slice(0, 200)}' is not JSON`;
  const errors = valueErrors(spec, 'response')(node(node(media).schema), body);
  if (errors) return yield `body ${text.slice(0, 200)}: ${errors}`;
  if (response.ok) return;
  const { status = response.status } = node(body);
  if (status !== response.status)
    yield `status in the body is ${String(status)}, the status of the response is ${response.status}`;
  yield* codeErrors(spec, response.status, body);
}

/** Errors in the headers of a deprecated operation, which state its deprecation date, its sunset date and its successor. */
function* deprecationErrors(spec: Spec, { object }: Operation, { headers }: Response): Generator<string> {
  const { 'x-sunset': sunset, 'x-deprecated-since': since, 'x-successor': successor } = node(object);
  const expected: [header: string, value: string | undefined][] = [
    ['sunset', typeof sunset === 'string' ? new Date(sunset).toUTCString() : undefined],
    ['deprecation', typeof since === 'string' ? `@${Date.parse(since) / 1000}` : undefined],
  ];
  for (const [name, value] of expected)
    if (value !== undefined && headers.get(name) !== value)
      yield `header ${name} is '${headers.get(name)}', not '${value}'`;
  const path = spec.operations.values().find(({ id }) => id === successor)?.path;
  const link = `<${spec.model.service.basePath}${path}>; rel="successor-version"`;
  if (path !== undefined && !headers.get('link')?.includes(link))
    yield `header link is '${headers.get('link')}', without ${link}`;
}

/** Errors in the challenge, which has to name each scheme of the operation (RFC 9110 11.6.1). */
function* challengeErrors(spec: Spec, { security }: Operation, { headers }: Response): Generator<string> {
  const schemes = node(spec.root.components?.securitySchemes);
  const challenge = headers.get('www-authenticate') ?? '';
  const named = challenge.toLowerCase().split(/[\s,]+/);
  for (const name of security.flatMap((all) => Object.keys(all))) {
    const { type, scheme } = node(resolve(spec, node(schemes[name])));
    const expected = type === 'oauth2' || type === 'openIdConnect' ? 'Bearer' : scheme;
    // An API key has no scheme.
    if (typeof expected === 'string' && !named.includes(expected.toLowerCase()))
      yield `header www-authenticate is '${challenge}', without ${expected}`;
  }
}

/** Errors in the `code` of an `Error` body. If `x-statuses` has codes for the status, the code has to be one of these codes. */
function codeErrors({ model }: Spec, status: number, body: unknown): string[] {
  const { code } = node(body);
  const statuses: Readonly<Record<string, number | undefined>> = model.service.statuses;
  const codes = Object.keys(statuses).filter((name) => statuses[name] === status);
  // An unexpected error may have another 5xx status and the code of 500.
  const isUnexpectedError = status >= 500 && statuses[String(code)] === 500;
  return codes.length === 0 || typeof code !== 'string' || codes.includes(code) || isUnexpectedError
    ? []
    : [`code is ${code}, and status ${status} has ${codes.join(' or ')}`];
}
