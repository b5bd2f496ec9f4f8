// Fastify on our durable store, `fastify.ts [parity]`. It sends the store's text unchanged, checks
// requests by the schemas of the spec, and writes its own log. With `parity` it has the features of
// our server, too.
import { openLowdbStore } from '@petstore/server';
import { type NewPet, operations, service } from '@petstore/types';
import { type FastifyReply, fastify } from 'fastify';
import { apiKey, collection } from '../workload.ts';
import { addOurFeatures, linkNext, optionsWithParity } from './parity.ts';
import { folder, host, path, printAddress, type } from './shared.ts';

type PetQuery = { limit: number; after?: number; status?: string };

const hasParity = process.argv.includes('parity');
const { listPets, createPet, getPet } = operations;
const { unauthorized, not_found } = service.statuses;
const pets = (await openLowdbStore(folder)).collection(collection);
const authorization = `Bearer ${apiKey}`;

const app = hasParity ? fastify(optionsWithParity()) : fastify({ logger: true });
app.addHook('onRequest', (request, reply, next) => {
  if (request.headers.authorization === authorization) return next();
  reply.code(unauthorized).send({ message: 'The API key is missing or invalid.' });
});
if (hasParity) addOurFeatures(app);

app.get<{ Querystring: PetQuery }>(
  path,
  { config: { operation: listPets }, schema: { querystring: schemaOf(listPets.fields) } },
  async ({ query: { limit, after = 0, ...filters } }, reply) => {
    const page = await pets.list({ limit, after, filters });
    if (hasParity) linkNext(reply, page.next);
    return send(reply, listPets.success, page.json);
  },
);
app.post<{ Body: NewPet }>(
  path,
  { config: { operation: createPet }, schema: { body: schemaOf(createPet.fields) } },
  async ({ body }, reply) => send(reply, createPet.success, (await pets.create(body)).json),
);
app.get<{ Params: { petId: number } }>(
  `${path}/:petId`,
  { config: { operation: getPet }, schema: { params: schemaOf(getPet.fields) } },
  async ({ params: { petId } }, reply) => {
    const pet = await pets.get(petId);
    if (pet === undefined) return reply.code(not_found).send({ message: 'There is no such pet.' });
    return send(reply, getPet.success, pet.json);
  },
);

await app.listen({ port: 0, host });
printAddress(app.server);

function send(reply: FastifyReply, status: number, json: string): FastifyReply {
  return reply.code(status).header('content-type', type).send(json);
}

/** The inputs of an operation as the schema of one object. */
function schemaOf(fields: Readonly<Record<string, { schema: object; required: boolean }>>) {
  const properties: Record<string, object> = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    properties[name] = field.schema;
    if (field.required) required.push(name);
  }
  return { type: 'object', additionalProperties: false, required, properties };
}
