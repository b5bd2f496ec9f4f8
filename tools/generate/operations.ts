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
  writeService(plugin);
};

/** The operations of the interface as `operations.gen.ts`, and what is said of the service as `service.gen.ts`. */
export const operationsPlugin = definePluginConfig<OperationsPlugin['Types']>({
  name: 'operations',
  config: {},
  dependencies: ['@hey-api/typescript'],
  handler,
});

/** Apart where a bundle may want one and not the other, and together. */
function writeService(plugin: OperationsPlugin['Instance']): void {
  const { deployments, version, ...rest } = serviceOf(plugin.context);
  const write = (name: string, doc: string, value: Parameters<typeof $.fromValue>[0]) => {
    const symbol = plugin.symbol(name, { getFilePath: () => 'service' });
    const assigned = $($.fromValue(value, { layout: 'pretty' })).as('const');
    plugin.node($.const(symbol).export().doc(doc).assign(assigned));
    return $(symbol);
  };
  const apart = {
    version: write('version', 'The version of the interface.', version),
    deployments: write('deployments', 'Where the service is deployed.', deployments),
  };
  write('service', 'The service as a whole, with the status of each error code.', { ...rest, ...apart });
}
