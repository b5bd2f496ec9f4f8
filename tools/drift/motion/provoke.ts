import { list, type Node, node, type Operation } from '../future/spec.ts';
import { parametersIn } from './declared.ts';

/** A request that an operation can be sent. */
export interface Attempt {
  path: string;
  init: RequestInit;
  /** Whether the store has to fail for it. */
  failing?: boolean;
}

/** A request made to reach a status, or nothing where no way to it is known. `existing` is the identifier of something there. */
export function provoke(
  place: string,
  operation: Operation,
  status: string,
  key: string,
  existing: number,
): Attempt | undefined {
  const [method = '', template = ''] = place.split(' ');
  const valid = (): Attempt => ({ path: pathTo(template, existing), init: initOf(method, operation, key) });
  switch (status) {
    case '400': {
      const attempt = valid();
      return operation.requestBody
        ? withBody(attempt, '{}')
        : { ...attempt, path: `${attempt.path}?no-such-parameter=1` };
    }
    case '304':
      return withHeader(valid(), 'if-none-match', '*');
    case '401':
      return withHeader(valid(), 'authorization', 'Bearer nobody');
    case '404':
      return template.includes('{') ? { ...valid(), path: pathTo(template, 999_999) } : undefined;
    case 'default':
      return { ...valid(), failing: true };
    default:
      return status.startsWith('2') ? valid() : undefined;
  }
}

function initOf(method: string, operation: Operation, key: string): RequestInit {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  for (const { name, required, schema, example } of parametersIn(operation, 'header')) {
    if (required) headers[String(name)] = String(example ?? exampleOf(node(schema)));
  }
  const content = node(node(operation.requestBody).content);
  const [type] = Object.keys(content);
  if (type === undefined) return { method, headers };
  const { example, schema } = node(content[type]);
  return withBody(
    { path: '', init: { method, headers: { ...headers, 'content-type': type } } },
    JSON.stringify(example ?? exampleOf(node(schema))),
  ).init;
}

function withHeader(attempt: Attempt, name: string, value: string): Attempt {
  return {
    ...attempt,
    init: { ...attempt.init, headers: { ...(attempt.init.headers as Record<string, string>), [name]: value } },
  };
}

function withBody(attempt: Attempt, body: string): Attempt {
  return { ...attempt, init: { ...attempt.init, body } };
}

function pathTo(template: string, id: number): string {
  return template.replace(/\{\w+\}/g, String(id));
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
