// The same API on Fastify, with schemas for what comes and what goes, as it is fastest: `fastify.ts <pets.json>`, or on
// our durable store `fastify.ts <data folder>`.
import { readFileSync } from 'node:fs';
import { type Api, type Input, type NewPet, operations, type Pet, service } from '@petstore/types';
import fastify from 'fastify';
import { basePath } from '../loads.ts';

type Query = Required<Pick<Input<'listPets'>, 'after' | 'limit'>> & Pick<Input<'listPets'>, 'status'>;

const [source = ''] = process.argv.slice(2);
const api = source.endsWith('.json') ? inMemory(JSON.parse(readFileSync(source, 'utf8'))) : await inFolder(source);
const { limit, after, status } = operations.listPets.fields;
const { petId } = operations.getPet.fields;
const { unauthorized, not_found } = service.statuses;

const number = ({ minimum, maximum }: { minimum: number; maximum: number }) => ({ type: 'integer', minimum, maximum });
const newPet = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'categoryId'],
  properties: {
    name: { type: 'string' },
    categoryId: { type: operations.createPet.fields.categoryId.schema.type },
    status: { type: 'string', enum: status.schema.enum },
  },
};
const pet = {
  ...newPet,
  required: ['id', ...newPet.required],
  properties: { id: number(petId.schema), ...newPet.properties },
};
const query = {
  type: 'object',
  properties: {
    limit: { ...number(limit.schema), default: limit.schema.default },
    after: number(after.schema),
    status: newPet.properties.status,
  },
};

const app = fastify();
const authorization = `Bearer ${process.env.API_KEY}`;
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== authorization) await reply.code(unauthorized).send({ status: unauthorized });
});
app.get<{ Querystring: Query }>(
  `${basePath}${operations.listPets.path}`,
  { schema: { querystring: query, response: { [operations.listPets.success]: { type: 'array', items: pet } } } },
  ({ query: { after = 0, ...page } }) => api.listPets({ after, ...page }),
);
app.post<{ Body: NewPet }>(
  `${basePath}${operations.createPet.path}`,
  { schema: { body: newPet, response: { [operations.createPet.success]: pet } } },
  async ({ body }, reply) => reply.code(operations.createPet.success).send(await api.createPet(body)),
);
app.get<{ Params: { petId: number } }>(
  `${basePath}${operations.getPet.path.replace('{petId}', ':petId')}`,
  {
    schema: {
      params: { type: 'object', properties: { petId: number(petId.schema) } },
      response: { [operations.getPet.success]: pet },
    },
  },
  async ({ params }, reply) =>
    (await api.getPet(params).catch(() => undefined)) ?? reply.code(not_found).send({ status: not_found }),
);
console.error(await app.listen({ port: 0, host: '127.0.0.1' }));

type ServedApi = Pick<Api, 'getPet' | 'createPet'> & { listPets(query: Query): Promise<Pet[]> };

async function inFolder(folder: string): Promise<ServedApi> {
  const { handlers, openLowdbStore } = await import('@petstore/server');
  return handlers(await openLowdbStore(folder));
}

/** An array, which is scanned. */
function inMemory(pets: Pet[]): ServedApi {
  return {
    getPet: async ({ petId }) => {
      const found = pets[petId - 1];
      if (!found) throw new Error('there is none');
      return found;
    },
    createPet: async (pet) => {
      const added = { id: pets.length + 1, ...pet };
      pets.push(added);
      return added;
    },
    listPets: async ({ after, limit, status }) => {
      const found: Pet[] = [];
      for (let at = after; at < pets.length && found.length < limit; at++) {
        const pet = pets[at];
        if (pet && (status === undefined || pet.status === status)) found.push(pet);
      }
      return found;
    },
  };
}
