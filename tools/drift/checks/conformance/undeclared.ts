import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Node, node, type Operation } from '../../openapi.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

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
export async function undeclared(operation: Operation, response: Response): Promise<string[]> {
  const responses = node(operation.responses);
  const declared = node(responses[String(response.status)] ?? responses.default);
  if (Object.keys(declared).length === 0) return [`status ${response.status} is not declared`];
  return [
    ...headerViolations(node(declared.headers), response),
    ...(await bodyViolations(node(declared.content), response)),
  ];
}

function headerViolations(declared: Node, { headers }: Response): string[] {
  const known = new Map(Object.entries(declared).map(([name, header]) => [name.toLowerCase(), node(header)]));
  const violations: string[] = [];
  for (const [name, text] of headers) {
    if (httpHeaders.has(name)) continue;
    const header = known.get(name);
    if (!header) violations.push(`header ${name} is not declared`);
    else {
      const schema = node(header.schema);
      const value = schema.type === 'integer' ? Number(text) : text;
      if (!ajv.validate(schema, value)) violations.push(`header ${name} is '${text}': ${ajv.errorsText()}`);
    }
  }
  for (const [name, { required }] of known) {
    if (required && !headers.has(name)) violations.push(`header ${name} is missing`);
  }
  return violations;
}

async function bodyViolations(declared: Node, response: Response): Promise<string[]> {
  const text = await response.text();
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  if (Object.keys(declared).length === 0) return text === '' ? [] : ['a body is not declared'];
  if (!(type in declared)) return [`content type '${type}' is not declared`];
  const body: unknown = JSON.parse(text);
  if (!ajv.validate(node(node(declared[type]).schema), body))
    return [`body ${text.slice(0, 200)}: ${ajv.errorsText()}`];
  const { status } = node(body);
  return response.ok || status === response.status
    ? []
    : [`status in the body is ${String(status)}, the status of the response is ${response.status}`];
}
