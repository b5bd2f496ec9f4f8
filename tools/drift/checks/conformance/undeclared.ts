import { essenceOf, isJson } from '../../../openapi/body.ts';
import { type Operation, resolve, type Schema } from '../../../openapi/document.ts';
import { valueErrors } from '../../../openapi/validate.ts';
import { type Node, node, type Spec } from '../../openapi.ts';
import { promiseErrors, retryErrors } from './promised.ts';

/** Headers of HTTP itself, which the spec does not describe. */
const httpHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'accept',
]);

/** What the spec does not declare of a response to an operation: its status, headers, and body with every property. */
export async function undeclared(spec: Spec, operation: Operation, response: Response): Promise<string[]> {
  const { status } = response;
  const responses = node(operation.object.responses);
  const names = [`${status}`, `${String(status)[0]}XX`, `${String(status)[0]}xx`, 'default'];
  const written = responses[names.find((name) => name in responses) ?? ''];
  if (written === undefined) return [`status ${status} is not declared`];
  const declared = node(resolve(spec, node(written)));
  const text = await response.text();
  const body = isJson(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined;
  return [
    ...headerViolations(spec, node(declared.headers), response),
    ...(operation.method === 'HEAD' ? [] : bodyViolations(spec, node(declared.content), response, text)),
    ...promiseErrors(spec, operation, response, body),
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

/** The value that the text of a header stands for. */
function parsedHeader(text: string, { type }: Schema): unknown {
  const types = [type ?? 'string'].flat();
  if (types.includes('integer') || types.includes('number')) return Number(text);
  if (types.includes('boolean')) return text === 'true' ? true : text === 'false' ? false : text;
  return types.includes('array') ? text.split(',').map((item) => item.trim()) : text;
}

function bodyViolations(spec: Spec, declared: Node, response: Response, text: string): string[] {
  const type = essenceOf(response.headers.get('content-type') ?? '');
  if (Object.keys(declared).length === 0) return text === '' ? [] : ['a body is not declared'];
  const [, media] = Object.entries(declared).find(([name]) => matches(essenceOf(name), type)) ?? [];
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

function matches(declared: string, type: string): boolean {
  const [group, name] = declared.split('/');
  const [isGroup, isName] = type.split('/');
  return (group === '*' || group === isGroup) && (name === '*' || name === isName);
}
