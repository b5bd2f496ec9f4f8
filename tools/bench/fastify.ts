// The server that ours is compared with, `fastify.ts <data folder>`. It prints its address to stderr as ours does.
import { openLowdbStore } from '@petstore/server';
import { type Input, type NewPet, service } from '@petstore/types';
import { apiKey, basePath, collection, create, get, list } from './load.ts';

const { unauthorized, not_found } = service.statuses;
const authorization = `Bearer ${apiKey}`;
const [folder = ''] = process.argv.slice(2);
await onFastify();

/** Fastify with schemas for requests and responses and with its log, on our durable store. */
async function onFastify(): Promise<void> {
  const { fastify } = await import('fastify');
  const api = await inStore();
  const app = fastify({ logger: true });
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.authorization !== authorization) await reply.code(unauthorized).send({});
  });
  app.get<{ Querystring: Input<'listPets'> }>(
    basePath + list.path,
    {
      schema: { querystring: schemaOf(list.fields), response: { 200: list.responses[200].schema } },
    },
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
    async ({ params }, reply) => (await api.getPet(params)) ?? reply.code(not_found).send({}),
  );
  console.error(`listens on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
}

/** The inputs of an operation as one object. */
function schemaOf(fields: Readonly<Record<string, { schema: object; required: boolean }>>) {
  const all = Object.entries(fields);
  const required = all.filter(([, field]) => field.required).map(([field]) => field);
  const properties = Object.fromEntries(all.map(([field, { schema }]) => [field, schema]));
  return { type: 'object', additionalProperties: false, required, properties };
}

/** The operations over our store, whose documents are JSON texts. */
async function inStore() {
  const pets = (await openLowdbStore(folder)).collection(collection);
  return {
    listPets: async ({ limit = 20, after = 0, status }: Input<'listPets'>) => {
      const filters = status === undefined ? {} : { status };
      return JSON.parse((await pets.list({ limit, after, filters })).json);
    },
    createPet: async (input: NewPet) => JSON.parse((await pets.create(input)).json),
    getPet: async ({ petId }: Input<'getPet'>) => {
      const pet = await pets.get(petId);
      return pet && JSON.parse(pet.json);
    },
  };
}
