// The server that most would write with the same libraries: Express and express-openapi-validator,
// and lowdb as its README shows it. It has neither log nor metrics. It answers a create before the
// create is on the disk.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { operations, type Pet, service } from '@petstore/types';
import express from 'express';
import { middleware } from 'express-openapi-validator';
import { JSONFilePreset } from 'lowdb/node';
import { parse } from 'yaml';
import { textOf } from '../../repository.ts';
import { apiKey, firstPets } from '../workload.ts';
import { folder, host, path, printAddress } from './shared.ts';

const db = await JSONFilePreset<{ pets: Pet[] }>(join(folder, 'db.json'), {
  pets: firstPets(),
});
const app = express();
app.use(express.json());
app.use(
  middleware({
    // The validator does not know servers whose whole address is a variable.
    apiSpec: { ...parse(textOf('spec/openapi.yaml')), servers: [{ url: service.basePath }] },
    validateSecurity: {
      handlers: { bearer: (request) => request.headers.authorization === `Bearer ${apiKey}` },
    },
  }),
);
app.get(path, (request, response) => {
  const limit = Number(request.query.limit);
  const after = Number(request.query.after ?? 0);
  const { status } = request.query;
  const pets = db.data.pets.filter((pet) => pet.id > after && (!status || pet.status === status));
  response.json(pets.slice(0, limit));
});
app.post(path, async (request, response) => {
  const pet = { id: db.data.pets.length + 1, ...request.body };
  db.data.pets.push(pet);
  await db.write();
  response.status(operations.createPet.success).json(pet);
});
app.get(`${path}/:petId`, (request, response) => {
  const pet = db.data.pets.find(({ id }) => id === Number(request.params.petId));
  if (pet) response.json(pet);
  else response.status(service.statuses.not_found).json({ message: 'There is no such pet.' });
});

const server = createServer(app);
server.listen(0, host, () => printAddress(server));
