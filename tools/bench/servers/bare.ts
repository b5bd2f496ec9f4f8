// The lower bound: what Node itself needs to read a request and send a response.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PetStatus } from '@petstore/types';
import { apiKey, basePath, create, inArray, list, pets } from '../workload.ts';

const api = inArray(pets());
const path = basePath + list.path;

const server = createServer((request, response) => {
  if (request.headers.authorization !== `Bearer ${apiKey}`) return respond(response, 401, { status: 401 });
  const [target = '', query = ''] = (request.url ?? '').split('?');
  if (target !== path) return respond(response, 200, api.getPet({ petId: Number(target.slice(path.length + 1)) }));
  if (request.method === 'GET') return respond(response, 200, page(new URLSearchParams(query)));
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () =>
    respond(response, create.success, api.createPet(JSON.parse(Buffer.concat(chunks).toString()))),
  );
});

function page(query: URLSearchParams) {
  const status = query.get('status') as PetStatus | null;
  const limit = Number(query.get('limit') ?? list.fields.limit.schema.default);
  return api.listPets({ after: Number(query.get('after') ?? 0), limit, ...(status && { status }) });
}

function respond(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
