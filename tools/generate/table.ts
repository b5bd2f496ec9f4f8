// The parsed document as the table of operations. The document has passed the refusals, so nothing is checked here.
import type { Field, IdempotencyKey, Operation, OperationResponse, RequestBody, Schema } from '@petstore/types';
import { commandOf } from './names.ts';

/** An object of the document. */
export type Node = Readonly<Record<string, unknown>>;

/** What is generated as data. A schema may be a `$ref` to one of `schemas`. */
export interface Table {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The names of the schemas that contain themselves. */
  readonly recursive: ReadonlySet<string>;
  readonly service: Node;
  readonly deployments: Readonly<Record<string, string>>;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];

export function tableOf(document: Node): Table {
  const follow = (value: unknown) => followed(document, value);
  const operations = Object.entries(node(document.paths)).flatMap(([path, value]) => {
    const item = node(value);
    return Object.keys(item)
      .filter((key) => methods.includes(key))
      .map((method) => operationOf(path, method, item, follow));
  });
  const schemas = node(node(document.components).schemas) as Table['schemas'];
  const info = node(document.info);
  const deployments = deploymentsOf(list(document.servers));
  const [firstUrl = '/'] = Object.values(deployments);
  const service = {
    title: info.title,
    version: info.version,
    summary: info.summary ?? '',
    statuses: node(schemas.ErrorCode)['x-statuses'] ?? {},
    basePath: new URL(firstUrl, 'http://localhost').pathname.replace(/\/$/, ''),
  };
  return { operations, schemas, recursive: recursiveIn(schemas), service, deployments };
}

function operationOf(path: string, method: string, item: Node, follow: (value: unknown) => Node): Operation {
  const declared = node(item[method]);
  const text = (key: string) => String(declared[key] ?? item[key] ?? '').trim();
  // A parameter of the operation replaces that of the path.
  const parameters = new Map(
    [...list(item.parameters), ...list(declared.parameters)]
      .map(follow)
      .map((parameter) => [`${parameter.in} ${String(parameter.name).toLowerCase()}`, parameter]),
  );
  const key = parameters.values().find((parameter) => parameter['x-idempotency-key'] === true);
  const inputs = [...parameters.values()].filter((parameter) => parameter !== key);
  const responses = Object.entries(node(declared.responses)).map(
    ([status, response]) => [status, responseOf(follow(response))] as const,
  );
  const successes = responses.map(([status]) => status).filter((status) => status.startsWith('2'));
  const { body, fields } = bodyOf(declared.requestBody, inputs, follow);
  return defined({
    id: String(declared.operationId),
    method: method.toUpperCase() as Operation['method'],
    path,
    command: commandOf(declared, path),
    summary: text('summary') || `${method.toUpperCase()} ${path}`,
    description: text('description'),
    tags: list(declared.tags).map(String),
    deprecated: declared.deprecated === true,
    deprecatedSince: declared['x-deprecated-since'] as string | undefined,
    sunset: declared['x-sunset'] as string | undefined,
    successor: declared['x-successor'] as string | undefined,
    stability: declared['x-stability-level'] as Operation['stability'],
    body,
    idempotencyKey: key && idempotencyKeyOf(key),
    pagination: declared['x-pagination'] as Operation['pagination'],
    fields: {
      ...Object.fromEntries(inputs.map((parameter) => [String(parameter.name), fieldOf(parameter)])),
      ...fields,
    },
    responses: Object.fromEntries(responses),
    successes,
    success: successes.length === 1 ? Number(successes[0]) : undefined,
  });
}

function fieldOf(parameter: Node): Field {
  return defined({
    in: parameter.in as Field['in'],
    required: parameter.required === true,
    description: String(parameter.description ?? ''),
    deprecated: parameter.deprecated as Field['deprecated'],
    schema: node(parameter.schema),
  });
}

function idempotencyKeyOf({ name, description, schema }: Node): IdempotencyKey {
  return { header: String(name), description: String(description ?? '').trim(), schema: node(schema) };
}

function responseOf({ description, content }: Node): OperationResponse {
  const [media] = Object.values(node(content));
  return { description: String(description), ...(media !== undefined && { schema: node(node(media).schema) }) };
}

/** The body, and the inputs that are its properties; one input `body` where properties would not be clear or not be enough. */
function bodyOf(
  declared: unknown,
  parameters: readonly Node[],
  follow: (value: unknown) => Node,
): { body?: RequestBody; fields?: Record<string, Field> } {
  if (declared === undefined) return {};
  const { required = false, description = '', content } = follow(declared);
  const schema = node(node(Object.values(node(content))[0]).schema);
  const parts = partsOf(schema, follow);
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Node>;
  const names = Object.keys(properties);
  const needed = new Set(parts.flatMap((part) => list(part.required)));
  const isWhole =
    names.length === 0 ||
    parts.some(({ type, oneOf, anyOf }) => (type !== undefined && type !== 'object') || oneOf || anyOf) ||
    parameters.some(({ name }) => names.includes(String(name))) ||
    (required === false && needed.size > 0);
  if (isWhole) {
    const field = { in: 'body', required: required === true, description: String(description), schema } as const;
    return { body: { required: required === true, whole: true }, fields: { body: field } };
  }
  const fields = Object.entries(properties).map(([name, property]): [string, Field] => [
    name,
    defined({
      in: 'body',
      required: needed.has(name),
      description: String(property.description ?? follow(property).description ?? ''),
      deprecated: property.deprecated as Field['deprecated'],
      schema: property,
    }),
  ]);
  return { body: { required: required === true }, fields: Object.fromEntries(fields) };
}

/** The schema and the parts of its `allOf`, with references followed. */
function partsOf(schema: Node, follow: (value: unknown) => Node): Node[] {
  const target = follow(schema);
  return [target, ...list(target.allOf).flatMap((part) => partsOf(node(part), follow))];
}

/** The base URL of each deployment, with the default of each variable. */
function deploymentsOf(servers: readonly unknown[]): Record<string, string> {
  const urls = servers
    .map(node)
    .map(({ url, variables, 'x-deployment': name }, i): [string, string] => [
      String(name ?? `server${i + 1}`),
      String(url).replace(/\{([^}]+)\}/g, (_, variable) => String(node(node(variables)[variable]).default)),
    ]);
  return Object.fromEntries(urls);
}

/** The schemas from which a chain of references leads back to themselves. */
function recursiveIn(schemas: Table['schemas']): Set<string> {
  const reached = new Map(Object.entries(schemas).map(([name, schema]) => [name, referencesIn(schema)]));
  // The loop also visits the targets that it adds.
  for (const targets of reached.values())
    for (const target of targets) for (const further of reached.get(target) ?? []) targets.add(further);
  return new Set([...reached].filter(([name, targets]) => targets.has(name)).map(([name]) => name));
}

/** The names of the schemas that a value refers to. */
export function referencesIn(value: unknown): Set<string> {
  const text = JSON.stringify(value) ?? '';
  return new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name));
}

/** The object that a value is, or refers to. */
export function followed(document: Node, value: unknown): Node {
  const { $ref } = node(value);
  if (typeof $ref !== 'string') return node(value);
  const target = $ref
    .slice(2)
    .split('/')
    .reduce((parent, name) => node(parent[name]), document);
  return followed(document, target);
}

export const node = (value: unknown): Node => (Object(value) === value ? (value as Node) : {});

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const isJson = (type: string) => /^application\/(?:[\w.+-]+\+)?json$/.test(type);

/** The object without the properties that are undefined. */
function defined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, property]) => property !== undefined)) as T;
}
