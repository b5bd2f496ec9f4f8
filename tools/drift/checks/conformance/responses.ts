import { covers, essenceOf, isJson } from '../../../openapi/body.ts';
import { type Operation, resolve, type Schema } from '../../../openapi/document.ts';
import { valueErrors } from '../../../openapi/validate.ts';
import { basePathOf, declaredResponse, type Node, node, type Spec } from '../../openapi.ts';

/** Headers that HTTP defines, so the spec does not describe them. */
const httpHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'accept',
]);

/** Violations of the spec in a response: in its status, its headers, and each property of its body. */
export async function undeclared(spec: Spec, operation: Operation, response: Response): Promise<string[]> {
  const { status } = response;
  const declared = declaredResponse(spec, operation, status);
  if (!declared) return [`status ${status} is not declared`];
  const text = await response.text();
  const body = isJson(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined;
  return [
    ...headerViolations(spec, node(declared.headers), response),
    ...(operation.method === 'HEAD' ? [] : bodyViolations(spec, node(declared.content), response, text)),
    ...deprecationErrors(spec, operation, response),
    ...(status === 401 ? challengeErrors(spec, operation, response) : []),
    ...(status >= 400 ? codeErrors(spec, status, body) : []),
    ...retryErrors(node(declared.headers), response),
  ];
}

function headerViolations(spec: Spec, declared: Node, { headers }: Response): string[] {
  const known = new Map(
    Object.entries(declared).map(([name, header]) => [name.toLowerCase(), node(resolve(spec, node(header)))]),
  );
  const violations: string[] = [];
  for (const [name, text] of headers) {
    if (httpHeaders.has(name)) continue;
    const header = known.get(name);
    if (!header) violations.push(`header ${name} is not declared`);
    else {
      const schema = resolve(spec, node(header.schema));
      const errors = valueErrors(spec, 'response')(schema, parsedHeader(text, schema));
      if (errors) violations.push(`header ${name} is '${text}': ${errors}`);
    }
  }
  for (const [name, { required }] of known) {
    if (required && !headers.has(name)) violations.push(`header ${name} is missing`);
  }
  return violations;
}

/** The value of a header by the type in its schema. */
function parsedHeader(text: string, { type }: Schema): unknown {
  const types = [type ?? 'string'].flat();
  if (types.includes('integer') || types.includes('number')) return Number(text);
  if (types.includes('boolean')) return text === 'true' ? true : text === 'false' ? false : text;
  return types.includes('array') ? text.split(',').map((item) => item.trim()) : text;
}

function bodyViolations(spec: Spec, declared: Node, response: Response, text: string): string[] {
  const type = essenceOf(response.headers.get('content-type') ?? '');
  if (Object.keys(declared).length === 0) return text === '' ? [] : ['a body is not declared'];
  const [, media] = Object.entries(declared).find(([name]) => covers(essenceOf(name), type)) ?? [];
  if (media === undefined) return [`content type '${type}' is not declared`];
  if (!isJson(type)) return [];
  const body: unknown = JSON.parse(text);
  const errors = valueErrors(spec, 'response')(node(node(media).schema), body);
  if (errors) return [`body ${text.slice(0, 200)}: ${errors}`];
  const { status = response.status } = node(body);
  return response.ok || status === response.status
    ? []
    : [`status in the body is ${String(status)}, the status of the response is ${response.status}`];
}

/** Errors in the headers of a deprecated operation, which state its deprecation date, its sunset date and its successor. */
function deprecationErrors(spec: Spec, { object }: Operation, { headers }: Response): string[] {
  const { 'x-sunset': sunset, 'x-deprecated-since': since, 'x-successor': successor } = node(object);
  const expected: [header: string, value: string | undefined][] = [
    ['sunset', typeof sunset === 'string' ? new Date(sunset).toUTCString() : undefined],
    ['deprecation', typeof since === 'string' ? `@${Date.parse(since) / 1000}` : undefined],
  ];
  const wrong = expected.filter(([name, value]) => value !== undefined && headers.get(name) !== value);
  const path = [...spec.operations.values()].find(({ id }) => id === successor)?.path;
  const link = path === undefined ? undefined : `<${basePathOf(spec)}${path}>; rel="successor-version"`;
  return [
    ...wrong.map(([name, value]) => `header ${name} is '${headers.get(name)}', not '${value}'`),
    ...(link === undefined || headers.get('link')?.includes(link)
      ? []
      : [`header link is '${headers.get('link')}', without ${link}`]),
  ];
}

/** Errors in the challenge, which has to name each scheme of the operation (RFC 9110 11.6.1). */
function challengeErrors(spec: Spec, { security }: Operation, { headers }: Response): string[] {
  const schemes = node(spec.root.components?.securitySchemes);
  const names = security
    .flatMap((all) => Object.keys(all))
    .flatMap((name) => {
      const { type, scheme } = node(resolve(spec, node(schemes[name])));
      if (type === 'http') return [String(scheme)];
      return type === 'oauth2' || type === 'openIdConnect' ? ['Bearer'] : [];
    });
  const challenge = headers.get('www-authenticate') ?? '';
  const isNamed = (name: string) =>
    challenge
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(name.toLowerCase());
  return names
    .filter((name) => !isNamed(name))
    .map((name) => `header www-authenticate is '${challenge}', without ${name}`);
}

/** Errors in the code of an Error. If `x-statuses` has codes for the status, the code has to be one of these codes. */
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

/** Errors in 429 and 503: where the spec declares `Retry-After`, the response has to contain the header. */
export function retryErrors(declared: Node, { status, headers }: Response): string[] {
  const isDeclared = Object.keys(declared).some((name) => name.toLowerCase() === 'retry-after');
  return isDeclared && [429, 503].includes(status) && !headers.has('retry-after')
    ? ['header retry-after is missing']
    : [];
}
