// A hey-api plugin that writes what the TypeScript types cannot carry: every operation as data, and the service itself.
import { $, type DefinePlugin, definePluginConfig } from '@hey-api/openapi-ts';
import { commentOf, serviceOf, tableOf } from './table.ts';

type OperationsPlugin = DefinePlugin<{ name: 'operations' }>;

const handler: OperationsPlugin['Handler'] = ({ plugin }) => {
  const types = $.type.object();
  const table = $.object().pretty();

  plugin.forEach(
    'operation',
    ({ operation }) => {
      const row = tableOf(operation, plugin.context);
      const typeOf = (role: string) =>
        $.type(plugin.referenceSymbol({ category: 'type', resource: 'operation', resourceId: operation.id, role }));
      types.prop(operation.id, (prop) =>
        prop.doc(commentOf(row)).type(
          $.type
            .object()
            .prop('data', (p) => p.type(typeOf('data')))
            .prop('response', (p) => p.type(typeOf('response')))
            .prop('errors', (p) => p.type(typeOf('errors'))),
        ),
      );
      table.prop(operation.id, $.fromValue(row, { layout: 'pretty' }));
    },
    { order: 'declarations' },
  );

  const inFile = (path: string) => ({ getFilePath: () => path });
  plugin.node(
    $.type
      .alias(plugin.symbol('Operations', inFile('operations')))
      .export()
      .doc('The types of every operation: what it takes, what it answers, and what it answers when it fails.')
      .type(types),
  );
  plugin.node(
    $.const(plugin.symbol('operations', inFile('operations')))
      .export()
      .doc('Every operation of the interface as data.')
      .assign($(table).as('const')),
  );
  plugin.node(
    $.const(plugin.symbol('service', inFile('service')))
      .export()
      .doc(
        'The service as a whole: its name, the version of its interface, where it is deployed, and the status of each error code.',
      )
      .assign($($.fromValue(serviceOf(plugin.context), { layout: 'pretty' })).as('const')),
  );
};

/** The operations of the interface as `operations.gen.ts`, and what is said of the service as `service.gen.ts`. */
export const operationsPlugin = definePluginConfig<OperationsPlugin['Types']>({
  name: 'operations',
  config: {},
  dependencies: ['@hey-api/typescript'],
  handler,
});
