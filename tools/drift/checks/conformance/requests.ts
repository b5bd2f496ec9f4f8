import { list, type Node, node, type Operation, parametersIn } from '../../openapi.ts';

/** A request for an operation. */
export interface TestRequest {
  path: string;
  init: RequestInit & { headers: Record<string, string> };
  needsFailingStore?: boolean;
}

/** A request whose response should have this status; nothing where none is known. `existing` is the identifier of a pet. */
export function buildRequest(
  endpoint: string,
  operation: Operation,
  status: string,
  key: string,
  existing: number,
): TestRequest | undefined {
  const [method = '', template = ''] = endpoint.split(' ');
  const pathWith = (id: number) => template.replace(/\{\w+\}/g, String(id));
  const path = pathWith(existing);
  const init = validInit(method, operation, key);
  const withHeader = (name: string, value: string) => ({
    path,
    init: { ...init, headers: { ...init.headers, [name]: value } },
  });
  switch (status) {
    case '400':
      return operation.requestBody
        ? { path, init: { ...init, body: '{}' } }
        : { path: `${path}?no-such-parameter=1`, init };
    case '304':
      return withHeader('if-none-match', '*');
    case '401':
      return withHeader('authorization', 'Bearer nobody');
    case '404':
      return template.includes('{') ? { path: pathWith(999_999), init } : undefined;
    case 'default':
      return { path, init, needsFailingStore: true };
    default:
      return status.startsWith('2') ? { path, init } : undefined;
  }
}

function validInit(method: string, operation: Operation, key: string): TestRequest['init'] {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  for (const { name, required, schema, example } of parametersIn(operation, 'header')) {
    if (required) headers[String(name)] = String(example ?? exampleOf(node(schema)));
  }
  const content = node(node(operation.requestBody).content);
  const [type] = Object.keys(content);
  if (type === undefined) return { method, headers };
  const { example, schema } = node(content[type]);
  const body = JSON.stringify(example ?? exampleOf(node(schema)));
  return { method, headers: { ...headers, 'content-type': type }, body };
}

/** The smallest value that a schema allows. */
function exampleOf(schema: Node): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return list(schema.enum)[0];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  if (schema.type === 'array') return [];
  if (schema.type !== 'object') return 'x';
  return Object.fromEntries(
    list(schema.required).map((name) => [name, exampleOf(node(node(schema.properties)[String(name)]))]),
  );
}
