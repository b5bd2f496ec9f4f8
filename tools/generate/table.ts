// The parsed document as the table of operations. The document has passed the refusals, so nothing is checked here.
import type { Field, IdempotencyKey, Operation, OperationResponse, Schema } from '@petstore/types';

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

export function tableOf(document: Node): Table {
  const operations = operationsIn(document).map((each) => operationOf(each, document));
  const schemas = node(node(document.components).schemas) as Table['schemas'];
  const { title, version, summary = '' } = node(document.info);
  const deployments = deploymentsOf(list(document.servers));
  const [firstUrl = '/'] = Object.values(deployments);
  const basePath = new URL(firstUrl, 'http://localhost').pathname.replace(/\/$/, '');
  const service = {
    title,
    version,
    summary,
    statuses: node(schemas.ErrorCode)['x-statuses'] ?? {},
    basePath,
  };
  return { operations, schemas, recursive: recursiveIn(schemas), service, deployments };
}

/** An operation as the document has it. */
interface Declared {
  readonly path: string;
  readonly method: string;
  readonly item: Node;
  readonly operation: Node;
}

/** All operations of a document, in its order. */
export function operationsIn(document: Node): Declared[] {
  return Object.entries(node(document.paths)).flatMap(([path, value]) => {
    const item = node(value);
    const methods = Object.keys(item).filter((key) => /^(?:get|put|post|delete|patch)$/.test(key));
    return methods.map((method) => ({ path, method, item, operation: node(item[method]) }));
  });
}

/** The parameters of an operation, and those of its path that it does not replace. */
export function parametersOf({ item, operation }: Declared, document: Node): Node[] {
  const all = [...list(item.parameters), ...list(operation.parameters)].map((each) =>
    followed(document, each),
  );
  return [...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values()];
}

function operationOf(each: Declared, document: Node): Operation {
  const { path, method, item, operation: declared } = each;
  const follow = (value: unknown) => followed(document, value);
  // A summary or description of the path is that of its operations.
  const text = (key: string) => String(declared[key] ?? item[key] ?? '').trim();
  const parameters = parametersOf(each, document);
  const key = parameters.find((parameter) => parameter['x-idempotency-key'] === true);
  const inputs = parameters.filter((parameter) => parameter !== key);
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
      ...Object.fromEntries(
        inputs.map((parameter) => [String(parameter.name), fieldOf(parameter)]),
      ),
      ...fields,
    },
    responses: Object.fromEntries(responses),
    successes,
    success: successes.length === 1 ? Number(successes[0]) : undefined,
  });
}

function fieldOf({ in: place, required, description, deprecated, schema }: Node): Field {
  return defined({
    in: place as Field['in'],
    required: required === true,
    description: String(description ?? ''),
    deprecated: deprecated === true || undefined,
    schema: node(schema),
  });
}

function idempotencyKeyOf({ name, description, schema }: Node): IdempotencyKey {
  return {
    header: String(name),
    description: String(description ?? '').trim(),
    schema: node(schema),
  };
}

function responseOf({ description, content }: Node): OperationResponse {
  const media = node(content)['application/json'];
  return {
    description: String(description),
    ...(media !== undefined && { schema: node(node(media).schema) }),
  };
}

/** The body, and its inputs: its properties, or all of it as the input `body`. */
function bodyOf(
  declared: unknown,
  parameters: readonly Node[],
  follow: (value: unknown) => Node,
): { body?: NonNullable<Operation['body']>; fields?: Record<string, Field> } {
  if (declared === undefined) return {};
  const { required = false, description = '', content } = follow(declared);
  const schema = node(node(node(content)['application/json']).schema);
  const parts = partsOf(schema, follow);
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<
    string,
    Node
  >;
  const names = Object.keys(properties);
  const needed = new Set(parts.flatMap((part) => list(part.required)));
  const isWhole =
    names.length === 0 ||
    // A body that may be something else than an object, or has properties of any name.
    parts.some(
      ({ type, allOf, additionalProperties }) =>
        (type !== 'object' && !allOf) || node(additionalProperties) === additionalProperties,
    ) ||
    parameters.some(({ name }) => names.includes(String(name))) ||
    (required === false && needed.size > 0);
  if (isWhole) {
    const field = fieldOf({ in: 'body', required, description, schema });
    return { body: { required: required === true, whole: true }, fields: { body: field } };
  }
  const fields = Object.entries(properties).map(([name, property]) => {
    const { description = follow(property).description, deprecated } = property;
    return [
      name,
      fieldOf({
        in: 'body',
        required: needed.has(name),
        description,
        deprecated,
        schema: property,
      }),
    ];
  });
  return { body: { required: required === true }, fields: Object.fromEntries(fields) };
}

/** The schema and the parts of its `allOf`, with references followed. */
function partsOf(schema: Node, follow: (value: unknown) => Node): Node[] {
  const target = follow(schema);
  return [target, ...list(target.allOf).flatMap((part) => partsOf(node(part), follow))];
}

/** The base URL of each deployment, with the default of each variable. */
export function deploymentsOf(servers: readonly unknown[]): Record<string, string> {
  const urls = servers
    .map(node)
    .map(({ url, variables, 'x-deployment': name }, i): [string, string] => [
      String(name ?? `server${i + 1}`),
      String(url).replace(/\{([^}]+)\}/g, (_, variable) =>
        String(node(node(variables)[variable]).default),
      ),
    ]);
  return Object.fromEntries(urls);
}

/** The schemas from which a chain of references leads back to themselves. */
export function recursiveIn(schemas: Table['schemas']): Set<string> {
  const reached = new Map(
    Object.entries(schemas).map(([name, schema]) => [name, referencesIn(schema)]),
  );
  // The loop also visits the targets that it adds.
  for (const targets of reached.values())
    for (const target of targets)
      for (const further of reached.get(target) ?? []) targets.add(further);
  return new Set([...reached].filter(([name, targets]) => targets.has(name)).map(([name]) => name));
}

/** The names of the schemas that a value refers to. */
export function referencesIn(value: unknown): Set<string> {
  const text = JSON.stringify(value) ?? '';
  return new Set(
    [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name),
  );
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

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The object without the properties that are undefined. */
function defined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(
    Object.entries(value).filter(([, property]) => property !== undefined),
  ) as T;
}

/** The words of an operation's petctl command. They depend on this operation only, so that no other operation renames it. */
export function commandOf(
  { operationId, tags, 'x-command': chosen }: Record<string, unknown>,
  path: string,
): string[] {
  if (chosen !== undefined) return String(chosen).split(' ');
  const [segment = 'root'] = path.split('/').filter((part) => part !== '' && !part.includes('{'));
  const [tag = segment] = Array.isArray(tags) ? tags : [];
  const group = kebab(String(tag));
  const words = kebab(String(operationId)).split('-');
  const nouns = new Set([...group.split('-'), ...group.split('-').map(singular), singular(group)]);
  // The verb is the first word, so it stays even if it is also a noun of the tag.
  return [group, words.filter((word, i) => i === 0 || !nouns.has(word)).join('-')];
}

/** `categoryId` as `category-id`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
}

const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/(?<![sui])s$/, '');
