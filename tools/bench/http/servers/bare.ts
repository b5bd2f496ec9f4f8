// The limit: what Node itself needs to read a request, look at it and send the answer. `bare.ts <pets.json>`
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NewPet, operations, type Pet } from '@petstore/types';
import { basePath } from '../loads.ts';

const pets: Pet[] = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const authorization = `Bearer ${process.env.API_KEY}`;
const path = `${basePath}${operations.listPets.path}`;
const page = operations.listPets.fields;

const server = createServer((request, response) => {
  if (request.headers.authorization !== authorization) return answer(response, 401, { status: 401 });
  const [place = '', query = ''] = (request.url ?? '').split('?');
  if (place !== path) return answer(response, 200, pets[Number(place.slice(path.length + 1)) - 1]);
  if (request.method === 'GET') return answer(response, 200, list(new URLSearchParams(query)));
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const pet: NewPet = JSON.parse(Buffer.concat(chunks).toString());
    const added = { id: pets.length + 1, ...pet };
    pets.push(added);
    answer(response, 201, added);
  });
});

function list(query: URLSearchParams): Pet[] {
  const limit = Number(query.get('limit') ?? page.limit.schema.default);
  const status = query.get('status');
  const found: Pet[] = [];
  for (let at = Number(query.get('after') ?? 0); at < pets.length && found.length < limit; at++) {
    const pet = pets[at];
    if (pet && (status === null || pet.status === status)) found.push(pet);
  }
  return found;
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => {
  console.error(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
