// The plugin of hey-api for `calls.gen.ts` of the client: a method for each operation, and how its
// requests are written.
import { $, type DefinePlugin, definePluginConfig } from '@hey-api/openapi-ts';
import type { Operation } from '@petstore/types';
import { conditionalDocOf, docOf } from './call-doc.ts';
import { schemaNameOf } from './document.ts';
import { expressionOf } from './expression.ts';
import { MethodsType } from './methods-type.ts';
import { typeName } from './names.ts';
import type { Table } from './table.ts';
import { wireOf } from './wire.ts';

type CallsPlugin = DefinePlugin<{ name: string }>;
type Plugin = CallsPlugin['Instance'];

const file = 'packages/client/src/gen/calls';

export const callsPlugin = ({ operations, service }: Table) =>
  definePluginConfig<CallsPlugin['Types']>({
    name: 'petstore-calls',
    config: {},
    handler: ({ plugin }) => {
      writeMethods(plugin, operations);
      const basePath = plugin.symbol('basePath', { getFilePath: () => file });
      plugin.node(
        $.const(basePath)
          .export()
          .doc('The path that every address of the service ends with.')
          .assign(expressionOf(service.basePath)),
      );
      writeWires(plugin, operations);
    },
  })();

function writeMethods(plugin: Plugin, operations: readonly Operation[]): void {
  const methods = new MethodsType();
  for (const operation of operations) {
    // The first signature that fits is taken, and the usual one fits every call.
    if (operation.method === 'GET')
      methods.method(operation.id, conditionalDocOf(operation), conditionalType(plugin, operation));
    methods.method(operation.id, docOf(operation), callType(plugin, operation));
  }
  const symbol = plugin.symbol('Methods', { getFilePath: () => file });
  const doc = 'A method for each operation.';
  plugin.node($.type.alias(symbol).export().doc(doc).type(methods));
}

function callType(plugin: Plugin, operation: Operation) {
  const call = operation.pagination
    ? imported(plugin, 'PageCall', '../pages.ts')
    : imported(plugin, 'Call', '../call.ts');
  const options = $.type(imported(plugin, 'CallOptions', '../options.ts'));
  return $.type
    .func()
    .param('input', (parameter) =>
      parameter.type(inputType(plugin, operation)).required(isInputRequired(operation)),
    )
    .param('options', (parameter) => parameter.type(options).optional())
    .returns($.type(call).generics(resultType(plugin, operation)));
}

/** The type of a read that asks whether the result has changed. */
function conditionalType(plugin: Plugin, operation: Operation) {
  const input = inputType(plugin, operation);
  const result = resultType(plugin, operation);
  const unchanged = $.type('undefined');
  return $.type
    .func()
    .param('input', (parameter) =>
      parameter.type(isInputRequired(operation) ? input : $.type.or(input, unchanged)),
    )
    .param('options', (parameter) =>
      parameter.type($.type(imported(plugin, 'ConditionalOptions', '../options.ts'))),
    )
    .returns(
      $.type(imported(plugin, 'Call', '../call.ts')).generics(
        $.type.or(operation.pagination ? $.type('Array').generics(result) : result, unchanged),
      ),
    );
}

function inputType(plugin: Plugin, { id }: Operation) {
  return $.type(imported(plugin, 'Input', '@petstore/types')).generics($.type.literal(id));
}

function isInputRequired({ fields }: Operation): boolean {
  return Object.values(fields).some(({ required }) => required);
}

/**
 * The type of a result, or of an element of a list: that of its schema, whose name editors show, if
 * it has one.
 */
function resultType(plugin: Plugin, { id, successes, responses, pagination }: Operation) {
  const [only = '', ...others] = successes;
  const schema = others.length === 0 ? responses[only]?.schema : undefined;
  const name = schemaNameOf(pagination ? schema?.items?.$ref : schema?.$ref);
  if (name !== undefined) return $.type(imported(plugin, typeName(name), '@petstore/types'));
  const result = $.type(imported(plugin, 'Result', '@petstore/types')).generics($.type.literal(id));
  return pagination ? result.idx('number') : result;
}

function writeWires(plugin: Plugin, operations: readonly Operation[]): void {
  const wires = Object.fromEntries(
    operations.map((operation) => [operation.id, wireOf(operation)]),
  );
  const type = $.type
    .mapped('Id')
    .readonly()
    .key($.type(imported(plugin, 'OperationId', '@petstore/types')))
    .type($.type(imported(plugin, 'Wire', '../request.ts')));
  const symbol = plugin.symbol('wires', { getFilePath: () => file });
  const doc = 'How the requests of each operation are written, and its responses read.';
  plugin.node($.const(symbol).export().doc(doc).type(type).assign(expressionOf(wires)));
}

/** A type that hey-api imports from another module, under another name where this one is taken. */
function imported(plugin: Plugin, name: string, module: string) {
  return plugin.symbol(name, { external: module, kind: 'type' });
}
