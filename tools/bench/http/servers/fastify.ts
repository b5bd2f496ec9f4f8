// The same API on Fastify in its fastest form, with schemas for requests and responses: on an array, or on our durable store
// and with its log, as ours, with `fastify.ts <data folder>`.
import { type Api, type Input, service } from '@petstore/types';
import fastify from 'fastify';
import { create, documents, get, inArray, list, type NewDocument } from '../../workload.ts';
import { apiKey } from '../loads.ts';

type Query = Input<typeof list.id>;
type Params = Input<typeof get.id>;

const [folder] = process.argv.slice(2);
const api = folder === undefined ? inArray(documents()) : await inFolder(folder);
const { unauthorized, not_found } = service.statuses;

const app = fastify({ logger: folder !== undefined });
const authorization = `Bearer ${apiKey}`;
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== authorization) await reply.code(unauthorized).send({ status: unauthorized });
});
app.get<{ Querystring: Query }>(
  `${service.basePath}${list.path}`,
  { schema: { querystring: schemaOf(list.fields), response: responseOf(list) } },
  ({ query }) => api[list.id](query),
);
app.post<{ Body: NewDocument }>(
  `${service.basePath}${create.path}`,
  { schema: { body: schemaOf(create.fields), response: responseOf(create) } },
  async ({ body }, reply) => reply.code(create.success).send(await api[create.id](body)),
);
app.get<{ Params: Params }>(
  `${service.basePath}${get.path.replace(/\{(\w+)\}/g, ':$1')}`,
  { schema: { params: schemaOf(get.fields), response: responseOf(get) } },
  async ({ params }, reply) => (await api[get.id](params)) ?? reply.code(not_found).send({ status: not_found }),
);
console.error(await app.listen({ port: 0, host: '127.0.0.1' }));

/** The inputs of an operation as one object. */
function schemaOf(fields: Readonly<Record<string, { schema: object; required: boolean }>>) {
  const all = Object.entries(fields);
  return {
    type: 'object',
    additionalProperties: false,
    required: all.filter(([, { required }]) => required).map(([name]) => name),
    properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
  };
}

function responseOf({ success, responses }: { success: number; responses: Readonly<Record<number, object>> }) {
  return { [success]: (responses[success] as { schema: object }).schema };
}

async function inFolder(folder: string): Promise<Api> {
  const { handlers, openLowdbStore } = await import('@petstore/server');
  const pets = (await openLowdbStore(folder)).collection('pets');
  const calls = Object.entries(handlers).map(([id, handler]) => [
    id,
    async (input: never) => {
      const result = await handler(input, { pets });
      return typeof result === 'object' && 'json' in result ? JSON.parse(String(result.json)) : result;
    },
  ]);
  return Object.fromEntries(calls);
}
