// The TypeScript types: hey-api's plugin writes the types of schemas and operations, and the plugin in this file writes `Operations`.
import { $, type DefinePlugin, definePluginConfig } from '@hey-api/openapi-ts';
import type { Operation } from '@petstore/types';
import { operationComment } from './code.ts';
import { isMap, isNode, mapped, type Node, node } from './document.ts';
import type { Model, OperationModel } from './model.ts';
import { exportedNames } from './operation-names.ts';

/** Names of global types, and names that the packages export by hand. */
const foreign = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...'Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Awaited PromiseLike'.split(' '),
  ...exportedNames,
]);

/** The name of a component's type. It differs from the names of the operations' functions, because the client exports both. */
export function typeName(component: string, { operations }: Model): string {
  const isTaken = foreign.has(component) || operations.some(({ operation }) => operation.id === component);
  return isTaken ? `Api${component}` : component;
}

/** The document that the types are generated from. It contains only the parts of an operation that the model contains. */
export function typesDocument({ document, operations }: Model): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const model of operations) {
    const { path, method } = model.operation;
    paths[path] = { ...paths[path], [method.toLowerCase()]: typedOperation(model) };
  }
  const schemas = node(node(document.components).schemas);
  return {
    openapi: '3.1.0',
    info: document.info,
    paths: withDescriptions(paths, schemas),
    components: { schemas: withDescriptions(schemas, schemas) },
  };
}

/**
 * Adds the description of its target to each property that is a reference, so editors show the description. Removes extensions,
 * because hey-api follows references in them.
 */
function withDescriptions(part: unknown, schemas: Node, hasNames = true): unknown {
  if (Array.isArray(part)) return part.map((element) => withDescriptions(element, schemas, false));
  if (!isNode(part)) return part;
  const keywords = Object.entries(part).filter(([key]) => hasNames || !key.startsWith('x-'));
  return mapped(Object.fromEntries(keywords), (value, key) => {
    const inner = withDescriptions(value, schemas, !hasNames && isMap(key, value));
    return key === 'properties' && isNode(inner) ? mapped(inner, (property) => described(property, schemas)) : inner;
  });
}

function described(property: unknown, schemas: Node): unknown {
  if (!isNode(property) || typeof property.$ref !== 'string' || property.description !== undefined) return property;
  const { description } = node(schemas[property.$ref.replace('#/components/schemas/', '')]);
  return typeof description === 'string' ? { ...property, description } : property;
}

function typedOperation({ operation, bodySchema, bodyDescription }: OperationModel): object {
  const { id, fields, body, responses, deprecated } = operation;
  const parameters = Object.entries(fields)
    .filter(([, field]) => field.in !== 'body')
    .map(([name, field]) => ({
      name,
      // A cookie is declared as a header, because `Input` has no part for cookies. Names are distinct over all locations.
      in: field.in === 'cookie' ? 'header' : field.in,
      required: field.required,
      ...(field.description && { description: field.description }),
      ...(field.deprecated && { deprecated: true }),
      schema: field.schema,
    }));
  return {
    operationId: id,
    ...(deprecated && { deprecated }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        description: bodyDescription,
        required: body.required,
        content: { [body.kind === 'multipart' ? body.mediaType : 'application/json']: { schema: bodySchema } },
      },
    }),
    responses: mapped(responses, ({ description, schema }) => ({
      description,
      ...(schema && { content: { 'application/json': { schema } } }),
    })),
  };
}

type TypesPlugin = DefinePlugin<{ name: 'operation-types' }>;

/** The types of every operation as `operation-types.gen.ts`. */
export function typesPlugin({ operations }: Model) {
  const byId = new Map(operations.map(({ operation }) => [operation.id, operation]));
  const handler: TypesPlugin['Handler'] = ({ plugin }) => {
    const types = $.type.object();
    plugin.forEach(
      'operation',
      ({ operation: { id, operationId = '' } }) => {
        const operation = byId.get(operationId);
        if (!operation) throw new Error(`hey-api has the operation '${operationId}', which the model does not have`);
        const role = (name: string) =>
          ({ category: 'type', resource: 'operation', resourceId: id, role: name }) as const;
        const typeOf = (name: string) => $.type(plugin.referenceSymbol(role(name)));
        types.prop(operation.id, (prop) =>
          prop.doc(operationComment(operation)).type(
            $.type
              .object()
              .prop('data', (p) => p.type(typeOf('data')))
              .prop('body', (p) => p.type(bodyType(operation, () => typeOf('data'))))
              .prop('response', (p) => p.type(responseType(operation, () => typeOf('responses')))),
          ),
        );
      },
      { order: 'declarations' },
    );
    plugin.node(
      $.type
        .alias(plugin.symbol('Operations', { getFilePath: () => 'operation-types' }))
        .export()
        .doc('The types of each operation: its input, its body and its success.')
        .type(types),
    );
  };
  return definePluginConfig<TypesPlugin['Types']>({
    name: 'operation-types',
    config: {},
    dependencies: ['@hey-api/typescript'],
    handler,
  })();
}

type Type = ReturnType<typeof $.type>;

/** The inputs that come from the body. */
function bodyType({ body, fields }: Operation, data: () => Type) {
  if (!body) return $.type('unknown');
  const type =
    body.kind === 'bytes'
      ? $.type('Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>')
      : body.kind === 'text'
        ? $.type('string')
        : $.type('NonNullable').generic(data().idx($.type.literal('body')));
  if (!body.whole) return type;
  const { required = false, description } = fields.body ?? {};
  return $.type.object().prop('body', (p) =>
    p
      .doc((description || 'The body of the request.').split('\n'))
      .required(required)
      .type(type),
  );
}

/** The data of a success; with several successes, together with the status. */
function responseType({ successes, responses }: Operation, typeOfResponses: () => Type) {
  const dataOf = (status: string) => {
    const kind = responses[status]?.kind;
    if (kind === 'json') return typeOfResponses().idx($.type.literal(/^\d+$/.test(status) ? Number(status) : status));
    return $.type(kind === 'text' ? 'string' : kind === 'bytes' ? 'ReadableStream<Uint8Array>' : 'undefined');
  };
  const [only = '', ...others] = successes;
  if (others.length === 0) return dataOf(only);
  return $.type.or(
    ...successes.map((status) =>
      $.type
        .object()
        .prop('status', (p) => p.type(/^\d+$/.test(status) ? $.type.literal(Number(status)) : $.type('number')))
        .prop('data', (p) => p.type(dataOf(status))),
    ),
  );
}
