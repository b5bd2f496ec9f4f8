// A hey-api plugin that writes the client: one thin function per operation, carried by the hand-written runtime.
import { $, type DefinePlugin, definePluginConfig } from '@hey-api/openapi-ts';
import type { Field, Operation } from '@petstore/types';
import { commentOf, tableOf } from './table.ts';
import { defined } from './values.ts';

type CallsPlugin = DefinePlugin<{ name: 'calls' }>;

const handler: CallsPlugin['Handler'] = ({ plugin }) => {
  const typeFrom = (external: string, name: string) => plugin.symbol(name, { external, kind: 'type' });
  const send = plugin.symbol('send', { external: '../send.ts', kind: 'function' });
  const connection = typeFrom('../connection.ts', 'Connection');
  const options = typeFrom('../connection.ts', 'CallOptions');
  const call = typeFrom('../call.ts', 'Call');
  const inputOf = typeFrom('@petstore/types', 'Input');
  const places = new Map<string, ReturnType<typeof plugin.symbol>>();
  const placeFrom = (name: string) => {
    const symbol = places.get(name) ?? plugin.symbol(name, { external: '../place.ts', kind: 'function' });
    places.set(name, symbol);
    return $(symbol);
  };

  plugin.forEach(
    'operation',
    ({ operation }) => {
      const row = tableOf(operation, plugin.context);
      const id = $.type.literal(row.id);
      const needsInput = Object.values(row.fields).some((field) => field.required);
      plugin.node(
        $.func(plugin.symbol(row.id, { getFilePath: () => 'calls' }))
          .export()
          .doc(commentOf(row))
          .param('connection', (p) => p.type(connection))
          .param('input', (p) => p.required(needsInput).type($.type(inputOf).generic(id)))
          .param('options', (p) => p.optional().type(options))
          .returns($.type(call).generic(id))
          .do($.return($(send).call('connection', wireOf(row, placeFrom), 'input', 'options'))),
      );
    },
    { order: 'declarations' },
  );
};

/** One exported function per operation, as `calls.gen.ts`. */
export const callsPlugin = definePluginConfig<CallsPlugin['Types']>({ name: 'calls', config: {}, handler });

/** How to put an operation on the wire, as briefly as it can be said: consumers bundle it with each function. */
function wireOf(row: Operation, placeFrom: (name: string) => ReturnType<typeof $>) {
  const names = (place: Field['in']) => Object.keys(row.fields).filter((name) => row.fields[name]?.in === place);
  const places = [];
  if (names('path').length > 0) places.push(placeFrom('inPath'));
  if (names('header').length > 0)
    places.push(placeFrom('inHeaders').call(...names('header').map((name) => $.literal(name))));
  // What is left over goes to the last place, so that the service can say what it makes of it.
  if (!row.body) places.push(placeFrom('inQuery'));
  else {
    if (names('query').length > 0)
      places.push(placeFrom('inQueryOf').call(...names('query').map((name) => $.literal(name))));
    places.push(placeFrom('inBody'));
  }
  const wire = defined({
    id: row.id,
    method: row.method,
    path: row.path,
    deprecated: row.deprecated ? defined({ sunset: row.sunset }) : undefined,
  });
  const object = $.object().pretty();
  for (const [key, value] of Object.entries(wire)) object.prop(key, $.fromValue(value));
  return object.prop('places', $.array(...places));
}
