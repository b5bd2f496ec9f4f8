import { Ajv2020 } from 'ajv/dist/2020.js';
import { list, type Node, node, type Operation } from '../future/spec.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

/** What HTTP itself puts into an answer; the spec does not speak of these. */
const ofHttp = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'accept',
]);

/** What in an answer the spec does not declare for the operation: its status, its headers, its body to the last member. */
export async function undeclared(operation: Operation, response: Response): Promise<string[]> {
  const responses = node(operation.responses);
  const declared = node(responses[String(response.status)] ?? responses.default);
  if (Object.keys(declared).length === 0) return [`status ${response.status} is not declared`];
  return [...headerFaults(node(declared.headers), response), ...(await bodyFaults(node(declared.content), response))];
}

function headerFaults(declared: Node, { headers }: Response): string[] {
  const known = new Map(Object.entries(declared).map(([name, header]) => [name.toLowerCase(), node(header)]));
  const faults: string[] = [];
  for (const [name, text] of headers) {
    if (ofHttp.has(name)) continue;
    const header = known.get(name);
    if (!header) faults.push(`header ${name} is not declared`);
    else {
      const schema = node(header.schema);
      const value = schema.type === 'integer' ? Number(text) : text;
      if (!ajv.validate(schema, value)) faults.push(`header ${name} is '${text}': ${ajv.errorsText()}`);
    }
  }
  for (const [name, { required }] of known) {
    if (required && !headers.has(name)) faults.push(`header ${name} is missing`);
  }
  return faults;
}

async function bodyFaults(declared: Node, response: Response): Promise<string[]> {
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
    : [`the body says ${String(status)}, the status is ${response.status}`];
}

/** The parameters of an operation, by their place. */
export function parametersIn(operation: Operation, place: string): Node[] {
  return list(operation.parameters)
    .map(node)
    .filter((parameter) => parameter.in === place);
}
