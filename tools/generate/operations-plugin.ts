// The plugin of hey-api for `operations.gen.ts` of the types: what the document says, as types and
// as data.
import { $, type DefinePlugin, definePluginConfig, type MaybeTsDsl } from '@hey-api/openapi-ts';
import type { Operation } from '@petstore/types';
import type { TypeNode } from 'typescript';
import { schemaNameOf } from './document.ts';
import { type Constants, expressionOf } from './dsl.ts';
import type { Table } from './table.ts';

type OperationsPlugin = DefinePlugin<{ name: string }>;
type Plugin = OperationsPlugin['Instance'];
type Symbol = ReturnType<Plugin['symbol']>;
type Type = MaybeTsDsl<TypeNode>;

const file = 'packages/types/src/gen/operations';

export const operationsPlugin = (table: Table) =>
  definePluginConfig<OperationsPlugin['Types']>({
    name: 'petstore-operations',
    config: {},
    dependencies: ['@hey-api/typescript'],
    handler: ({ plugin }) => {
      writeTypes(plugin, table.operations);
      const constants = writeSchemas(plugin, table);
      writeData(plugin, table, constants);
    },
  })();

/** The type `Operations`, which has the types of each operation. */
function writeTypes(plugin: Plugin, operations: readonly Operation[]): void {
  const types: Record<string, Type> = {};
  for (const operation of operations) {
    const data = operationSymbol(plugin, operation, 'data');
    types[operation.id] = objectType({
      data: $.type(data),
      body: bodyType(operation, data),
      response: successType(plugin, operation),
    });
  }
  const doc = 'The types of each operation: its parameters and body, and what it returns.';
  plugin.node(
    $.type.alias(symbolOf(plugin, 'Operations')).export().doc(doc).type(objectType(types)),
  );
}

/**
 * The part of an operation's input that is its body. Without a body, it is `unknown`, which changes
 * nothing in an intersection.
 */
function bodyType({ body, fields }: Operation, data: Symbol): Type {
  if (!body) return $.type('unknown');
  const declared = $.type(data).idx($.type.literal('body'));
  const withoutUndefined = $.type('Exclude').generics(declared, 'undefined');
  if (!body.whole) return withoutUndefined;
  return $.type.object().prop('body', (property) => {
    property.type(withoutUndefined).required(fields.body?.required);
  });
}

/** The type of the data of the only success. If there are several, each has its status and data. */
function successType(plugin: Plugin, operation: Operation): Type {
  const { successes, responses } = operation;
  const dataOf = (status: string): Type => {
    if (!responses[status]?.schema) return $.type('undefined');
    const types = operationSymbol(plugin, operation, 'responses');
    return $.type(types).idx($.type.literal(Number(status)));
  };
  const [only = '', ...others] = successes;
  if (others.length === 0) return dataOf(only);
  const alternatives = successes.map((status) =>
    objectType({ status: $.type.literal(Number(status)), data: dataOf(status) }),
  );
  return $.type.or(...alternatives);
}

function objectType(properties: Readonly<Record<string, Type>>) {
  const type = $.type.object();
  for (const [name, inner] of Object.entries(properties))
    type.prop(name, (property) => property.type(inner));
  return type;
}

/**
 * Writes a constant for each schema that does not contain itself. hey-api visits a schema after
 * those that it refers to. A schema that is only a reference has the constant of its target.
 */
function writeSchemas(plugin: Plugin, { schemas, recursive }: Table): Constants {
  const constants = new Map<string, string>();
  plugin.forEach('schema', ({ name }) => {
    const schema = schemas[name];
    if (!schema || recursive.has(name)) return;
    const { $ref, ...siblings } = schema;
    const target = constants.get(schemaNameOf($ref) ?? '');
    if (target !== undefined && Object.keys(siblings).length === 0) {
      constants.set(name, target);
      return;
    }
    const constant = `${name}Schema`;
    plugin.node($.const(symbolOf(plugin, constant)).assign(dataOf(schema, constants)));
    constants.set(name, constant);
  });
  return constants;
}

function writeData(plugin: Plugin, table: Table, constants: Constants): void {
  const { operations, schemas, recursive, version, deployments, service } = table;
  const write = (name: string, value: unknown, doc: string) => {
    const constant = $.const(symbolOf(plugin, name)).export().doc(doc);
    plugin.node(constant.assign(dataOf(value, constants)));
  };
  const recursiveSchemas = Object.entries(schemas).filter(([name]) => recursive.has(name));
  const schemasByName = Object.fromEntries(recursiveSchemas);
  const operationsById = Object.fromEntries(operations.map((each) => [each.id, each]));
  write('schemas', schemasByName, 'The schemas that contain themselves, by name.');
  write('operations', operationsById, 'All operations as data, by operationId.');
  write('version', version, 'The version of the interface.');
  write('deployments', deployments, 'The addresses of the deployments.');
  write('service', service, 'The service as a whole.');
}

function dataOf(value: unknown, constants: Constants) {
  return $.as(expressionOf(value, constants), 'const');
}

function symbolOf(plugin: Plugin, name: string): Symbol {
  return plugin.symbol(name, { getFilePath: () => file });
}

/** A type that `@hey-api/typescript` has made of an operation, such as `ListPetsData`. */
function operationSymbol(plugin: Plugin, { id }: Operation, role: 'data' | 'responses'): Symbol {
  const type = { category: 'type', resource: 'operation', resourceId: id, role } as const;
  return plugin.referenceSymbol(type);
}
