// Turns what hey-api read from the spec into the rows of the operations table.
import type { DefinePlugin, IR } from '@hey-api/openapi-ts';
import type { Field, Operation } from '@petstore/types';

type Context = DefinePlugin['Instance']['context'];

/** The row of one operation. Stops the build with a sentence where the table cannot carry what the spec says. */
export function tableOf(operation: IR.OperationObject, context: Context): Operation {
  const statuses = Object.keys(operation.responses ?? {}).filter((status) => /^\d{3}$/.test(status));
  const [success, ...others] = statuses.map(Number).filter((status) => status < 300);
  if (success === undefined || others.length > 0) {
    throw new Error(`${operation.id}: declare exactly one 2xx status, that is what the operation answers`);
  }
  return defined<Operation>({
    id: operation.id,
    method: operation.method.toUpperCase() as Operation['method'],
    path: operation.path,
    success,
    statuses: statuses.map(Number),
    summary: operation.summary ?? '',
    description: operation.description?.trim() ?? '',
    tags: operation.tags ?? [],
    deprecated: operation.deprecated ?? false,
    deprecatedSince: extension(operation, 'x-deprecated-since'),
    sunset: extension(operation, 'x-sunset'),
    successor: extension(operation, 'x-successor'),
    stability: extension(operation, 'x-stability-level'),
    security: securityOf(operation, context),
    body: operation.body && { required: operation.body.required ?? false, mediaType: operation.body.mediaType },
    pagination: extension(operation, 'x-pagination'),
    fields: fieldsOf(operation, context),
  });
}

/** What the spec says of the service as a whole. */
export function serviceOf({ spec }: Context) {
  const deployments: Record<string, string> = {};
  for (const server of spec.servers ?? []) {
    const name = server['x-deployment'];
    if (typeof name !== 'string') throw new Error(`server ${server.url}: name the deployment in x-deployment`);
    deployments[name] = server.url.replace(/\{(\w+)\}/g, (_: string, key: string) => server.variables[key].default);
  }
  return { title: spec.info.title, version: spec.info.version, summary: spec.info.summary, deployments };
}

/** The comment that editors show for an operation: summary, description, and what is said of its future. */
export function commentOf(row: Operation): string[] {
  const lines = [row.summary, '', ...row.description.split('\n')];
  if (row.stability) lines.push('', `Stability: ${row.stability}.`);
  if (row.deprecated) {
    const until = row.sunset ? ` It is going to be removed on ${row.sunset}.` : '';
    const instead = row.successor ? ` Use \`${row.successor}\` instead.` : '';
    lines.push('', `@deprecated since ${row.deprecatedSince ?? 'now'}.${until}${instead}`);
  }
  return lines.map((line) => line.replaceAll('*/', '*\\/'));
}

function fieldsOf(operation: IR.OperationObject, context: Context): Record<string, Field> {
  const fields: Record<string, Field> = {};
  const add = (name: string, field: Field) => {
    if (fields[name]) {
      throw new Error(
        `${operation.id}: '${name}' is both a ${fields[name].in} and a ${field.in} field; inputs stand side by side, so rename one`,
      );
    }
    fields[name] = field;
  };

  const { path, query, header, cookie } = operation.parameters ?? {};
  if (cookie) throw new Error(`${operation.id}: cookie parameters are not supported`);
  for (const [place, group] of Object.entries({ path, query, header })) {
    for (const { name, schema, required, description } of Object.values(group ?? {})) {
      const where = `${operation.id}.${name}`;
      add(name, fieldOf(where, place as Field['in'], schema, required ?? false, description, context));
    }
  }

  if (operation.body) {
    const body = resolve(operation.body.schema, context);
    if (body.type !== 'object' || !body.properties) {
      throw new Error(`${operation.id}: a body has to be an object with named properties`);
    }
    for (const [name, schema] of Object.entries(body.properties)) {
      const required = body.required?.includes(name) ?? false;
      add(name, fieldOf(`${operation.id}.${name}`, 'body', schema, required, undefined, context));
    }
  }
  return fields;
}

const types: readonly string[] = [
  'integer',
  'number',
  'string',
  'boolean',
  'array',
  'object',
] satisfies Field['type'][];

function fieldOf(
  where: string,
  place: Field['in'],
  schema: IR.SchemaObject,
  required: boolean,
  description: string | undefined,
  context: Context,
): Field {
  const resolved = resolve(schema, context);
  const choices = resolved.type === 'enum' ? resolved.items?.map((item) => item.const as string | number) : undefined;
  const type = choices ? typeof choices[0] : resolved.type;
  if (!type || !types.includes(type)) throw new Error(`${where}: a field of type '${type}' cannot be put in the table`);
  const { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, pattern } = resolved;
  return defined<Field>({
    in: place,
    type: type as Field['type'],
    required,
    description: (description ?? schema.description ?? resolved.description ?? '').trim(),
    format,
    choices,
    minimum,
    maximum,
    exclusiveMinimum,
    exclusiveMaximum,
    minLength,
    maxLength,
    pattern,
    default: resolved.default as Field['default'],
    deprecated: resolved.deprecated ? true : undefined,
  });
}

/** The schema that a reference leads to, with what is said beside the reference. */
function resolve(schema: IR.SchemaObject, context: Context): IR.SchemaObject {
  if (!schema.$ref) return schema;
  const { $ref, ...beside } = schema;
  return { ...resolve(context.resolveIrRef<IR.SchemaObject>($ref), context), ...beside };
}

function securityOf(operation: IR.OperationObject, { spec }: Context): string[] {
  const requirements: Record<string, unknown>[] =
    spec.paths[operation.path][operation.method].security ?? spec.security ?? [];
  return requirements.flatMap((requirement) => Object.keys(requirement));
}

function extension<T>(operation: IR.OperationObject, name: `x-${string}`): T | undefined {
  return operation[name] as T | undefined;
}

/** Leaves out what is not there, so that the table shows only what the spec says. */
export function defined<T>(row: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as T;
}
