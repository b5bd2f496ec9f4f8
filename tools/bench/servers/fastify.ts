// The same API on Fastify with schemas for requests and responses: on an array, or on our durable store and with its log, as
// ours, with `fastify.ts <data folder>`.
import { handlers, openLowdbStore } from '@petstore/server';
import { type Input, type NewPet, service } from '@petstore/types';
import fastify from 'fastify';
import { apiKey, basePath, create, get, inArray, list, pets } from '../workload.ts';

const [folder] = process.argv.slice(2);
const api = folder ? await inStore(folder) : inArray(pets());
const { unauthorized, not_found } = service.statuses;

const app = fastify({ logger: Boolean(folder) });
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${apiKey}`)
    await reply.code(unauthorized).send({ status: unauthorized });
});
app.get<{ Querystring: Input<'listPets'> }>(
  basePath + list.path,
  { schema: { querystring: schemaOf(list.fields), response: { 200: list.responses[200].schema } } },
  ({ query }) => api.listPets(query),
);
app.post<{ Body: NewPet }>(
  basePath + create.path,
  { schema: { body: schemaOf(create.fields), response: { 201: create.responses[201].schema } } },
  async ({ body }, reply) => reply.code(create.success).send(await api.createPet(body)),
);
app.get<{ Params: Input<'getPet'> }>(
  basePath + get.path.replace(/\{(\w+)\}/, ':$1'),
  { schema: { params: schemaOf(get.fields), response: { 200: get.responses[200].schema } } },
  async ({ params }, reply) => (await api.getPet(params)) ?? reply.code(not_found).send({ status: not_found }),
);
console.error(await app.listen({ port: 0, host: '127.0.0.1' }));

/** The inputs of an operation as one object. */
function schemaOf(fields: Readonly<Record<string, { schema: object; required: boolean }>>) {
  const all = Object.entries(fields);
  const required = all.filter(([, field]) => field.required).map(([name]) => name);
  const properties = Object.fromEntries(all.map(([name, { schema }]) => [name, schema]));
  return { type: 'object', additionalProperties: false, required, properties };
}

/** The operations over our store, whose documents are JSON texts. */
async function inStore(path: string) {
  const collections = { pets: (await openLowdbStore(path)).collection('pets') };
  const parsed = (result: unknown) =>
    typeof result === 'object' && result && 'json' in result ? JSON.parse(String(result.json)) : result;
  return {
    listPets: async (input: Input<'listPets'>) => parsed(await handlers.listPets(input, collections)),
    createPet: async (input: NewPet) => parsed(await handlers.createPet(input, collections)),
    getPet: async (input: Input<'getPet'>) => parsed(await handlers.getPet(input, collections)),
  };
}
