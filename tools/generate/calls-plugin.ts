// The plugin of hey-api for `calls.gen.ts` of the client: a method for each operation, and how its
// requests are written.
import { $, type DefinePlugin, definePluginConfig } from '@hey-api/openapi-ts';
import type { Operation } from '@petstore/types';
import { schemaNameOf } from './document.ts';
import { escapeForHeyApi, expressionOf, MethodsType } from './dsl.ts';
import { typeName } from './names.ts';
import type { Table } from './table.ts';

type CallsPlugin = DefinePlugin<{ name: string }>;
type Plugin = CallsPlugin['Instance'];

const file = 'packages/client/src/gen/calls';

export const callsPlugin = ({ operations, service }: Table) =>
  definePluginConfig<CallsPlugin['Types']>({
    name: 'petstore-calls',
    config: {},
    handler: ({ plugin }) => {
      const declared = (name: string) => plugin.symbol(name, { getFilePath: () => file });
      plugin.node(
        $.type
          .alias(declared('Methods'))
          .export()
          .doc('A method for each operation.')
          .type(methodsType(plugin, operations)),
      );
      plugin.node(
        $.const(declared('basePath'))
          .export()
          .doc('The path that every address of the service ends with.')
          .assign(expressionOf(service.basePath)),
      );
      const formats = operations.map((operation) => [operation.id, wireFormatOf(operation)]);
      plugin.node(
        $.const(declared('wireFormats'))
          .export()
          .doc('How the requests of each operation are written, and its responses read.')
          .type(wireFormatsType(plugin))
          .assign(expressionOf(Object.fromEntries(formats))),
      );
    },
  })();

function methodsType(plugin: Plugin, operations: readonly Operation[]): MethodsType {
  const methods = new MethodsType();
  for (const operation of operations) {
    // TypeScript takes the first signature that fits. The usual one fits every call, so it is last.
    if (operation.method === 'GET')
      methods.method(operation.id, conditionalDocOf(operation), conditionalType(plugin, operation));
    methods.method(operation.id, docOf(operation), callType(plugin, operation));
  }
  return methods;
}

function callType(plugin: Plugin, operation: Operation) {
  const call = operation.pagination
    ? imported(plugin, 'PageCall', '../pages.ts')
    : imported(plugin, 'Call', '../call.ts');
  const input = inputType(plugin, operation);
  const isRequired = isInputRequired(operation);
  const options = imported(plugin, 'CallOptions', '../options.ts');
  return $.type
    .func()
    .param('input', (parameter) => parameter.type(input).required(isRequired))
    .param('options', (parameter) => parameter.type(options).optional())
    .returns(call.generics(resultType(plugin, operation)));
}

/** The type of a read that asks whether the result has changed. */
function conditionalType(plugin: Plugin, operation: Operation) {
  const undefinedType = $.type('undefined');
  const usualInput = inputType(plugin, operation);
  const input = isInputRequired(operation) ? usualInput : $.type.or(usualInput, undefinedType);
  const options = imported(plugin, 'ConditionalOptions', '../options.ts');
  const element = resultType(plugin, operation);
  const result = operation.pagination ? $.type('Array').generics(element) : element;
  return $.type
    .func()
    .param('input', (parameter) => parameter.type(input))
    .param('options', (parameter) => parameter.type(options))
    .returns(imported(plugin, 'Call', '../call.ts').generics($.type.or(result, undefinedType)));
}

function inputType(plugin: Plugin, { id }: Operation) {
  return imported(plugin, 'Input', '../input.ts').generics($.type.literal(id));
}

function isInputRequired({ fields }: Operation): boolean {
  return Object.values(fields).some(({ required }) => required);
}

/**
 * The type of a result, or of an element of a list. It is the type of its schema, whose name
 * editors show, if it has one.
 */
function resultType(plugin: Plugin, { id, success, responses, pagination }: Operation) {
  const schema = success === undefined ? undefined : responses[success]?.schema;
  const name = schemaNameOf(pagination ? schema?.items?.$ref : schema?.$ref);
  if (name !== undefined) return imported(plugin, typeName(name), '@petstore/types');
  const result = imported(plugin, 'Result', '@petstore/types').generics($.type.literal(id));
  return pagination ? result.idx('number') : result;
}

/** The documentation of a method. */
function docOf(operation: Operation): string[] {
  const { summary, description, stability, idempotencyKey } = operation;
  const parts = [summary];
  if (description !== '') parts.push(description);
  if (stability) parts.push(`Stability: ${stability}.`);
  if (idempotencyKey)
    parts.push('The client itself sends an idempotency key, the same for all attempts of a call.');
  if (!isRepeatable(operation))
    parts.push(
      'The client does not retry this operation: without an idempotency key, a repeated request may have a second effect.',
    );
  parts.push(`@returns ${resultOf(operation)}`);
  if (operation.deprecated) parts.push(deprecationOf(operation));
  return commentOf(parts);
}

/** The documentation of a call that asks whether the result has changed. */
function conditionalDocOf(operation: Operation): string[] {
  const parts = [
    `${operation.summary}, if the result has changed. \`if-none-match\` is the \`ETag\` of an earlier response.`,
    '@returns `undefined` if nothing has changed.',
  ];
  if (operation.deprecated) parts.push(deprecationOf(operation));
  return commentOf(parts);
}

/** The lines of a comment. Empty lines separate its parts. */
function commentOf(parts: readonly string[]): string[] {
  return escapeForHeyApi(parts.join('\n\n').replaceAll('*/', '*\\/')).split('\n');
}

function isRepeatable({ idempotencyKey, method }: Operation): boolean {
  return idempotencyKey !== undefined || ['GET', 'PUT', 'DELETE'].includes(method);
}

function resultOf({ pagination, successes, responses }: Operation): string {
  if (pagination)
    return 'With `await`, the first page. With `for await`, every element. With `.pages()`, the pages one by one. With `.collect()`, all elements as one array.';
  return successes.map((status) => responses[status]?.description).join(' Or: ');
}

function deprecationOf({ deprecatedSince, sunset, successor }: Operation): string {
  const sentences = ['@deprecated'];
  if (deprecatedSince) sentences.push(`since ${deprecatedSince}.`);
  if (sunset) sentences.push(`It will be removed on ${sunset}.`);
  if (successor) sentences.push(`Use \`${successor}\` instead.`);
  return sentences.join(' ');
}

function wireFormatsType(plugin: Plugin) {
  return $.type
    .mapped('Id')
    .readonly()
    .key(imported(plugin, 'OperationId', '@petstore/types'))
    .type(imported(plugin, 'WireFormat', '../request.ts'));
}

/**
 * The `WireFormat` of an operation, by which the client sends it and reads its responses. The
 * printer leaves out the properties that are undefined.
 */
function wireFormatOf(operation: Operation): Record<string, unknown> {
  const { method, path, body, idempotencyKey, pagination, responses, successes } = operation;
  const { deprecated, sunset, successor } = operation;
  const bodyKind = body && (body.whole ? 'whole' : 'properties');
  return {
    method,
    path,
    headers: unlessEmpty(inputsIn('header', operation)),
    body: bodyKind,
    // All inputs that are neither in the path nor in a header are in the query, if there is no
    // body.
    query: bodyKind === 'properties' ? unlessEmpty(inputsIn('query', operation)) : undefined,
    idempotencyKey: idempotencyKey?.header.toLowerCase(),
    pagination: pagination && pageSizeOf(pagination.limit, operation),
    deprecated: deprecated ? { sunset, successor } : undefined,
    successes: successes.join() === '200' ? undefined : successes.map(Number),
    empty: unlessEmpty(successes.filter((status) => !responses[status]?.schema).map(Number)),
  };
}

function inputsIn(place: 'query' | 'header', { fields }: Operation): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.in === place);
}

/** The input that sets the size of a page, and the largest size. */
function pageSizeOf(limit: string, { fields }: Operation): Record<string, unknown> {
  return { limit, maximum: fields[limit]?.schema.maximum };
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** A type that hey-api imports from another module, under another name where this one is taken. */
function imported(plugin: Plugin, name: string, module: string) {
  return $.type(plugin.symbol(name, { external: module, kind: 'type' }));
}
