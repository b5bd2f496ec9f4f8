// The lower bound: what Node itself needs to read a request and send a response.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectionPath, create, documents, filter, get, idInput, inArray, list } from '../../workload.ts';
import { apiKey } from '../loads.ts';

const api = inArray(documents());
const authorization = `Bearer ${apiKey}`;
const { cursor, limit } = list.pagination;

const server = createServer((request, response) => {
  if (request.headers.authorization !== authorization) return respond(response, 401, { status: 401 });
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (path !== collectionPath)
    return respond(response, 200, api[get.id](idInput(Number(path.slice(collectionPath.length + 1)))));
  if (request.method === 'GET') return respond(response, 200, page(new URLSearchParams(query)));
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    respond(response, create.success, api[create.id](JSON.parse(Buffer.concat(chunks).toString())));
  });
});

function page(query: URLSearchParams) {
  const value = query.get(filter.property) as (typeof filter)['value'] | null;
  return api[list.id]({
    [cursor]: Number(query.get(cursor) ?? 0),
    [limit]: Number(query.get(limit) ?? list.fields[limit].schema.default),
    ...(value && { [filter.property]: value }),
  });
}

function respond(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => {
  console.error(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
