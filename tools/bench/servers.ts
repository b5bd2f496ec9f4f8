// The servers that ours is compared with, `servers.ts <name> <data folder>`. Each prints its address to stderr as ours does.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handlers, openLowdbStore } from '@petstore/server';
import { type Input, type NewPet, type Pet, type PetStatus, service } from '@petstore/types';
import { apiKey, basePath, collection, create, get, list, pets } from './load.ts';

const { unauthorized, not_found } = service.statuses;
const authorization = `Bearer ${apiKey}`;
const [name = '', folder = ''] = process.argv.slice(2);
if (name === 'bare') bare();
else await onFastify();

/** The lower bound: what Node itself needs to read a request and send a response. */
function bare(): void {
  const api = inArray(pets());
  const path = basePath + list.path;
  const respond = (response: ServerResponse, status: number, value: unknown) => {
    const text = JSON.stringify(value);
    const length = Buffer.byteLength(text);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length }).end(text);
  };
  const page = (query: URLSearchParams) => {
    const status = query.get('status') as PetStatus | null;
    return api.listPets({ limit: Number(query.get('limit') ?? 20), ...(status && { status }) });
  };
  const server = createServer((request, response) => {
    if (request.headers.authorization !== authorization) return respond(response, 401, {});
    const [target = '', query = ''] = (request.url ?? '').split('?');
    if (target !== path) return respond(response, 200, api.getPet({ petId: Number(target.slice(path.length + 1)) }));
    if (request.method === 'GET') return respond(response, 200, page(new URLSearchParams(query)));
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => respond(response, 201, api.createPet(JSON.parse(Buffer.concat(chunks).toString()))));
  });
  server.listen(0, '127.0.0.1', () => greet(server));
}

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
    async ({ params }, reply) => (await api.getPet(params)) ?? reply.code(not_found).send({}),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  greet(app.server);
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
  const collections = { pets: (await openLowdbStore(folder)).collection(collection) };
  const parsed = (result: unknown) => JSON.parse((result as { json: string }).json);
  return {
    listPets: async (input: Input<'listPets'>) => parsed(await handlers.listPets(input, collections)),
    createPet: async (input: NewPet) => parsed(await handlers.createPet(input, collections)),
    getPet: async (input: Input<'getPet'>) => parsed(await handlers.getPet(input, collections)),
  };
}

function greet(server: Server): void {
  console.error(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** The operations over an array, which is scanned. */
function inArray(all: Pet[]) {
  return {
    getPet: ({ petId }: Input<'getPet'>) => all[petId - 1],
    createPet: (pet: NewPet) => {
      const created = { id: all.length + 1, ...pet };
      all.push(created);
      return created;
    },
    listPets: ({ after = 0, limit = list.fields.limit.schema.default, status }: Input<'listPets'>) => {
      const found: Pet[] = [];
      for (let at = after; at < all.length && found.length < limit; at++) {
        const pet = all[at];
        if (pet && (status === undefined || pet.status === status)) found.push(pet);
      }
      return found;
    },
  };
}
