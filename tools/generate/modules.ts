// The text of the generated modules that are not types: the table of operations, and the client's methods.
import type { Operation } from '@petstore/types';
import { node, referencesIn, type Table } from './table.ts';
import { operationType, typeName } from './types.ts';

/** `operations.gen.ts` of the types: what the document says, as data. */
export function operationsModule(table: Table): string {
  const { operations, service, deployments, schemas, recursive } = table;
  const rows = Object.fromEntries(operations.map((operation) => [operation.id, operation]));
  const { version, ...others } = service;
  const types = operations.map(typesOf);
  const used = [...new Set(types.join().match(/\b[A-Z]\w*(?:Data|Responses)\b/g))].sort();
  const recursiveSchemas = Object.fromEntries(
    Object.entries(schemas).filter(([name]) => recursive.has(name)),
  );
  const print = (value: unknown) => literal(value, recursive);
  return `import type { ${used.join(', ')} } from './types.gen.ts';

/** The types of each operation: its parameters and body, and what it returns. */
export interface Operations {
${types.join('\n')}
}

${constantsOf(table, print)}
/** The schemas that contain themselves, by name. */
export const schemas = ${print(recursiveSchemas)} as const;

/** All operations as data, by operationId. */
export const operations = ${print(rows)} as const;

/** The version of the interface. */
export const version = ${print(version)};

/** The addresses of the deployments. */
export const deployments = ${print(deployments)} as const;

/** The service as a whole. */
export const service = ${print(others)} as const;
`;
}

/** `calls.gen.ts` of the client: a method for each operation, and how its requests are written. */
export function callsModule({ operations, service }: Table): string {
  const methods = operations.map((operation) => {
    const isOptional = Object.values(operation.fields).every(({ required }) => !required);
    const parameters = `input${isOptional ? '?' : ''}: Input<'${operation.id}'>, options?: CallOptions`;
    const call = `${operation.pagination ? 'PageCall' : 'Call'}<${resultOf(operation)}>`;
    const method = `${comment(operation)}\n  ${operation.id}(${parameters}): ${call};`;
    return operation.method === 'GET' ? `${conditionalMethod(operation)}\n${method}` : method;
  });
  const wires = Object.fromEntries(
    operations.map((operation) => [operation.id, wireOf(operation)]),
  );
  const hasPages = operations.some((one) => one.pagination);
  const hasReads = operations.some((one) => one.method === 'GET');
  const hasCalls = hasReads || operations.some((one) => !one.pagination);
  const options = hasReads ? 'CallOptions, ConditionalOptions' : 'CallOptions';
  const results = operations.map((operation) => /^\w+/.exec(resultOf(operation))?.[0]);
  const imported = [...new Set(['Input', 'OperationId', ...results])].sort();
  return `import type { ${imported.join(', ')} } from '@petstore/types';
${hasCalls ? "import type { Call } from '../call.ts';\n" : ''}import type { ${options} } from '../options.ts';
${hasPages ? "import type { PageCall } from '../pages.ts';\n" : ''}import type { Wire } from '../request.ts';

/** A method for each operation. */
export interface Methods {
${methods.join('\n')}
}

/** The path that every address of the service ends with. */
export const basePath = ${literal(service.basePath)};

/** How the requests of each operation are written, and its responses read. */
export const wires: Readonly<Record<OperationId, Wire>> = ${literal(wires)};
`;
}

/** The types that a caller of the client names, by name, so that no editor offers values of the types package. */
export function clientTypesModule({ schemas }: Table): string {
  const names = Object.keys(schemas).map(typeName).sort();
  return `export type {\n${names.map((name) => `  ${name},\n`).join('')}} from '@petstore/types';\n`;
}

/** The method of a read that asks whether the result has changed. */
function conditionalMethod(operation: Operation): string {
  const { id, pagination, deprecated, successor } = operation;
  const result = pagination ? `${resultOf(operation)}[]` : resultOf(operation);
  const lines = [
    `${operation.summary}, if the result has changed since the response whose \`ETag\` is \`if-none-match\`.`,
    '',
    '@returns `undefined` if nothing has changed.',
    ...(deprecated ? ['', `@deprecated${successor ? ` Use \`${successor}\` instead.` : ''}`] : []),
  ];
  const text = lines.map((line) => `   * ${line}`.trimEnd()).join('\n');
  const isOptional = Object.values(operation.fields).every(({ required }) => !required);
  const input = `Input<'${id}'>${isOptional ? ' | undefined' : ''}`;
  const parameters = `input: ${input}, options: ConditionalOptions`;
  return `  /**\n${text}\n   */\n  ${id}(${parameters}): Call<${result} | undefined>;`;
}

/** The type of a result, or of an element of a list: the name of its schema, which editors show, if it has one. */
function resultOf({ id, successes, responses, pagination }: Operation): string {
  const [only = '', ...others] = successes;
  const schema = others.length === 0 ? responses[only]?.schema : undefined;
  const { $ref } = node(pagination ? schema?.items : schema);
  if (typeof $ref === 'string') return typeName($ref.slice($ref.lastIndexOf('/') + 1));
  return pagination ? `Result<'${id}'>[number]` : `Result<'${id}'>`;
}

/** What the client has to know of an operation to send it, and to read its responses. */
function wireOf(operation: Operation) {
  const { method, path, fields, body, idempotencyKey, pagination, sunset, deprecated, successor } =
    operation;
  const named = (place: string) => Object.keys(fields).filter((name) => fields[name]?.in === place);
  const [query, headers] = [named('query'), named('header')];
  const empty = operation.successes.filter((status) => !operation.responses[status]?.schema);
  return {
    method,
    path,
    ...(query.length > 0 && { query }),
    ...(headers.length > 0 && { headers }),
    ...(body && { body: body.whole ? 'whole' : 'properties' }),
    ...(idempotencyKey && { idempotencyKey: idempotencyKey.header }),
    ...(pagination && { pagination: pageSizeOf(pagination.limit, fields) }),
    ...(deprecated && {
      deprecated: { ...(sunset && { sunset }), ...(successor && { successor }) },
    }),
    ...(String(operation.successes) !== '200' && { successes: operation.successes.map(Number) }),
    ...(empty.length > 0 && { empty: empty.map(Number) }),
  };
}

/** The input that sets the size of a page, and the largest size. */
function pageSizeOf(limit: string, fields: Operation['fields']) {
  const { maximum } = node(fields[limit]?.schema);
  return { limit, ...(maximum !== undefined && { maximum }) };
}

/** The documentation of a method, as editors show it. */
function comment(operation: Operation) {
  const {
    summary,
    description,
    deprecated,
    deprecatedSince,
    sunset,
    successor,
    pagination,
    stability,
  } = operation;
  const use = successor ? ` Use \`${successor}\` instead.` : '';
  const removal = sunset ? ` It will be removed on ${sunset}.` : '';
  const isRepeatable =
    operation.idempotencyKey || ['GET', 'PUT', 'DELETE'].includes(operation.method);
  const results = operation.successes.map((status) => operation.responses[status]?.description);
  const paragraphs = [
    summary,
    description,
    stability && `Stability: ${stability}.`,
    operation.idempotencyKey &&
      'The client sends an idempotency key by itself: one for all attempts of a call.',
    !isRepeatable &&
      'The client does not retry it, because it takes no idempotency key and would not be safe to repeat.',
    pagination
      ? '@returns With `await`, the first page. With `for await`, every element. With `.pages()`, the pages one by one. With `.collect()`, all elements as one array.'
      : `@returns ${results.join(' Or: ')}`,
    deprecated &&
      `@deprecated ${deprecatedSince ? `since ${deprecatedSince}.` : ''}${removal}${use}`.trim(),
  ].filter(Boolean);
  const lines = paragraphs.join('\n\n').replaceAll('*/', '*\\/').split('\n');
  return ['  /**', ...lines.map((line) => `   * ${line}`.trimEnd()), '   */'].join('\n');
}

function typesOf({ id, body, successes, responses, fields }: Operation): string {
  const data = operationType(id, 'Data');
  const dataOf = (status: string) =>
    responses[status]?.schema ? `${operationType(id, 'Responses')}[${status}]` : 'undefined';
  const [only = '', ...others] = successes;
  const result =
    others.length === 0
      ? dataOf(only)
      : successes.map((status) => `{ status: ${status}; data: ${dataOf(status)} }`).join(' | ');
  const isRequired = fields.body?.required ? '' : '?';
  const whole = `{ body${isRequired}: Exclude<${data}['body'], undefined> }`;
  const input = body?.whole ? whole : body ? `Exclude<${data}['body'], undefined>` : 'unknown';
  return `  ${id}: { data: ${data}; body: ${input}; response: ${result} };`;
}

/** A constant for each schema that is used and does not contain itself, those that others use first. */
function constantsOf(
  { operations, schemas, recursive }: Table,
  print: (value: unknown) => string,
): string {
  const written = new Set<string>();
  let text = '';
  const write = (name: string) => {
    if (written.has(name)) return;
    written.add(name);
    for (const used of referencesIn(schemas[name])) write(used);
    if (!recursive.has(name))
      text += `const ${name}Schema = ${constant(print(withoutExtensions(schemas[name])))};\n\n`;
  };
  for (const name of referencesIn(operations)) write(name);
  return text;
}

/** An alias of another constant is constant already. */
const constant = (text: string) => (text.startsWith('{') ? `${text} as const` : text);

const withoutExtensions = (value: unknown) =>
  Object.fromEntries(Object.entries(node(value)).filter(([key]) => !key.startsWith('x-')));

/** A value as TypeScript. A reference becomes the constant of its schema, unless the schema contains itself. */
function literal(value: unknown, recursive: ReadonlySet<string> = new Set(), indent = ''): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, recursive, inner));
    return `[${items.join(', ')}]`;
  }
  if (Object(value) !== value) return JSON.stringify(value) ?? 'undefined';
  const { $ref, ...beside } = node(value);
  const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '';
  const isConstant = name !== '' && !recursive.has(name);
  if (isConstant && Object.keys(beside).length === 0) return `${name}Schema`;
  const members = Object.entries(isConstant ? beside : node(value)).map(([key, member]) => {
    const property = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${inner}${property}: ${literal(member, recursive, inner)},\n`;
  });
  if (isConstant) members.unshift(`${inner}...${name}Schema,\n`);
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}
