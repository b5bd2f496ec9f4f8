// What goes into an operation and what comes out of it, value by value.
import type { DefinePlugin, IR } from '@hey-api/openapi-ts';
import type { Field, Operation, Value } from '@petstore/types';

export type Context = DefinePlugin['Instance']['context'];

/** Every input of an operation by its name: parameters and members of the body side by side. */
export function fieldsOf(operation: IR.OperationObject, context: Context): Record<string, Field> {
  const fields: Record<string, Field> = {};
  const add = (name: string, field: Field) => {
    const other = fields[name]?.in;
    if (other) {
      throw new Error(
        `${operation.id}: '${name}' is both a ${other} and a ${field.in} field; inputs stand side by side, so rename one`,
      );
    }
    fields[name] = field;
  };

  const { path, query, header, cookie } = operation.parameters ?? {};
  if (cookie) throw new Error(`${operation.id}: cookie parameters are not supported`);
  for (const [place, group] of Object.entries({ path, query, header })) {
    for (const { name, schema, required = false, description } of Object.values(group ?? {})) {
      const value = valueFrom(`${operation.id}.${name}`, schema, required, context);
      add(name, { in: place as Field['in'], ...value, ...(description && { description: description.trim() }) });
    }
  }

  if (operation.body) {
    const members = membersOf(`the body of ${operation.id}`, operation.body.schema, context);
    for (const [name, value] of Object.entries(members)) add(name, { in: 'body', ...value });
  }
  return fields;
}

/** What a success carries. */
export function resultOf(operation: IR.OperationObject, success: number, context: Context): Operation['result'] {
  const response = operation.responses?.[success];
  if (!response?.mediaType) return undefined;
  const schema = resolve(response.schema, context);
  const list = schema.type === 'array';
  const one = list ? schema.items?.[0] : schema;
  if (!one) throw new Error(`the answer of ${operation.id}: say what the list holds`);
  return { list, members: membersOf(`the answer of ${operation.id}`, one, context) };
}

function membersOf(where: string, schema: IR.SchemaObject, context: Context): Record<string, Value> {
  const { type, properties, required } = resolve(schema, context);
  if (type !== 'object' || !properties) throw new Error(`${where}: it has to be an object with named properties`);
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      valueFrom(`${where}, ${name}`, property, required?.includes(name) ?? false, context),
    ]),
  );
}

const types: readonly string[] = [
  'integer',
  'number',
  'string',
  'boolean',
  'array',
  'object',
] satisfies Value['type'][];

function valueFrom(where: string, schema: IR.SchemaObject, required: boolean, context: Context): Value {
  const resolved = resolve(schema, context);
  const choices = resolved.type === 'enum' ? resolved.items?.map((item) => item.const as string | number) : undefined;
  const type = choices ? typeof choices[0] : resolved.type;
  if (!type || !types.includes(type)) throw new Error(`${where}: a value of type '${type}' cannot be put in the table`);
  const { format, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, pattern } = resolved;
  return defined<Value>({
    type: type as Value['type'],
    required,
    description: (resolved.description ?? '').trim(),
    format,
    choices,
    minimum,
    maximum,
    exclusiveMinimum,
    exclusiveMaximum,
    minLength,
    maxLength,
    pattern,
    default: resolved.default as Value['default'],
    deprecated: resolved.deprecated ? true : undefined,
  });
}

/** The schema that a reference leads to, with what is said beside the reference. */
function resolve(schema: IR.SchemaObject, context: Context): IR.SchemaObject {
  if (!schema.$ref) return schema;
  const { $ref, ...beside } = schema;
  return { ...resolve(context.resolveIrRef<IR.SchemaObject>($ref), context), ...beside };
}

/** Leaves out what is not there, so that the table shows only what the spec says. */
export function defined<T>(row: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as T;
}
