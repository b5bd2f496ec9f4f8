// The plugin of hey-api for `operations.gen.ts` of the types: what the document says, as types and
// as data.
import { $, type DefinePlugin, definePluginConfig } from '@hey-api/openapi-ts';
import type { Operation } from '@petstore/types';
import { schemaNameOf } from './document.ts';
import { type Constants, expressionOf } from './expression.ts';
import type { Table } from './table.ts';

type OperationsPlugin = DefinePlugin<{ name: string }>;
type Plugin = OperationsPlugin['Instance'];
type Symbol = ReturnType<Plugin['symbol']>;

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
  const types = $.type.object();
  for (const operation of operations) {
    const data = operationSymbol(plugin, operation, 'data');
    const ofOperation = $.type
      .object()
      .prop('data', (property) => property.type($.type(data)))
      .prop('body', (property) => property.type(bodyType(operation, data)))
      .prop('response', (property) => property.type(successType(plugin, operation)));
    types.prop(operation.id, (property) => property.type(ofOperation));
  }
  const doc = 'The types of each operation: its parameters and body, and what it returns.';
  plugin.node($.type.alias(symbolOf(plugin, 'Operations')).export().doc(doc).type(types));
}

/**
 * The part of an operation's input that is its body. `unknown` changes nothing in an intersection.
 */
function bodyType({ body, fields }: Operation, data: Symbol) {
  if (!body) return $.type('unknown');
  const declared = $.type('Exclude').generics(
    $.type(data).idx($.type.literal('body')),
    'undefined',
  );
  if (!body.whole) return declared;
  return $.type.object().prop('body', (property) => {
    property.type(declared).required(fields.body?.required);
  });
}

/** The data of the only success; of several, the data with its status. */
function successType(plugin: Plugin, operation: Operation) {
  const dataOf = (status: string) => {
    if (!operation.responses[status]?.schema) return $.type('undefined');
    const responses = operationSymbol(plugin, operation, 'responses');
    return $.type(responses).idx($.type.literal(Number(status)));
  };
  const [only = '', ...others] = operation.successes;
  if (others.length === 0) return dataOf(only);
  const alternatives = operation.successes.map((status) =>
    $.type
      .object()
      .prop('status', (property) => property.type($.type.literal(Number(status))))
      .prop('data', (property) => property.type(dataOf(status))),
  );
  return $.type.or(...alternatives);
}

/**
 * Writes a constant for each schema, those that others use first. An alias has the constant of its
 * target.
 */
function writeSchemas(plugin: Plugin, { schemas, recursive }: Table): Constants {
  const constants = new Map<string, string>();
  plugin.forEach('schema', ({ name }) => {
    const schema = schemas[name];
    if (!schema || recursive.has(name)) return;
    const target = constants.get(schemaNameOf(schema.$ref) ?? '');
    const isAlias = target !== undefined && Object.keys(schema).length === 1;
    const constant = isAlias ? target : `${name}Schema`;
    if (!isAlias) {
      const data = $.as(expressionOf(schema, constants), 'const');
      plugin.node($.const(symbolOf(plugin, constant)).assign(data));
    }
    constants.set(name, constant);
  });
  return constants;
}

function writeData(plugin: Plugin, table: Table, constants: Constants): void {
  const { operations, schemas, recursive, version, deployments, service } = table;
  const recursiveSchemas = Object.entries(schemas).filter(([name]) => recursive.has(name));
  const write = (name: string, value: unknown, doc: string) => {
    const data = $.as(expressionOf(value, constants), 'const');
    plugin.node($.const(symbolOf(plugin, name)).export().doc(doc).assign(data));
  };
  write(
    'schemas',
    Object.fromEntries(recursiveSchemas),
    'The schemas that contain themselves, by name.',
  );
  write(
    'operations',
    Object.fromEntries(operations.map((operation) => [operation.id, operation])),
    'All operations as data, by operationId.',
  );
  write('version', version, 'The version of the interface.');
  write('deployments', deployments, 'The addresses of the deployments.');
  write('service', service, 'The service as a whole.');
}

function symbolOf(plugin: Plugin, name: string): Symbol {
  return plugin.symbol(name, { getFilePath: () => file });
}

/** A type that `@hey-api/typescript` has made of an operation, such as `ListPetsData`. */
function operationSymbol(plugin: Plugin, { id }: Operation, role: 'data' | 'responses'): Symbol {
  return plugin.referenceSymbol({
    category: 'type',
    resource: 'operation',
    resourceId: id,
    role,
  });
}
