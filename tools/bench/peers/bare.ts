// The least that a server of Node can do for this API. It uses bare `node:http`, keeps the pets as
// text in memory, and appends creates to a file, which it syncs once for each group. It validates
// nothing but the key, and has neither log nor metrics.
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type NewPet, service } from '@petstore/types';
import { apiKey, firstPets, statuses } from '../workload.ts';
import { folder, host, path, printAddress, type } from './shared.ts';

const file = await open(join(folder, 'bare.jsonl'), 'a');
const all: string[] = [];
const byStatus = new Map<string, string[]>(statuses.map((status) => [status, []]));
/** Creates that are not saved yet. */
let waiting: { readonly text: string; readonly saved: () => void }[] = [];
let isSaving = false;
for (const pet of firstPets()) keep(JSON.stringify(pet), pet.status);

const server = createServer((request, response) => {
  if (request.headers.authorization !== `Bearer ${apiKey}`)
    return send(response, service.statuses.unauthorized, '{}');
  if (request.method === 'POST') return create(request, response);
  const { url = '' } = request;
  if (url.startsWith(`${path}/`))
    return send(response, 200, all[Number(url.slice(path.length + 1)) - 1] ?? '{}');
  send(response, 200, list(url));
});
server.listen(0, host, () => printAddress(server));

function list(url: string): string {
  let limit = 20;
  let from = 0;
  let pets = all;
  for (const parameter of url.slice(path.length + 1).split('&')) {
    if (parameter.startsWith('limit=')) limit = Number(parameter.slice(6));
    if (parameter.startsWith('after=')) from = Number(parameter.slice(6));
    if (parameter.startsWith('status=')) pets = byStatus.get(parameter.slice(7)) ?? [];
  }
  return `[${pets.slice(from, from + limit).join()}]`;
}

function create(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text) => {
    body += text;
  });
  request.on('end', () => {
    const { name, categoryId, status }: NewPet = JSON.parse(body);
    const text = JSON.stringify({ id: all.length + 1, name, categoryId, status });
    keep(text, status);
    waiting.push({ text, saved: () => send(response, 201, text) });
    save();
  });
}

function keep(text: string, status: string | undefined): void {
  all.push(text);
  byStatus.get(status ?? '')?.push(text);
}

/** Saves the waiting creates as one group, and then those that have arrived meanwhile. */
async function save(): Promise<void> {
  if (isSaving) return;
  isSaving = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await file.write(`${group.map(({ text }) => text).join('\n')}\n`);
    await file.datasync();
    for (const { saved } of group) saved();
  }
  isSaving = false;
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
