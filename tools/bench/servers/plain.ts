// The server as most people would write it: Express, express-openapi-validator and lowdb, `plain.ts <data folder>`.

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { NewPet, Pet } from '@petstore/types';
import express from 'express';
import * as validator from 'express-openapi-validator';
import { JSONFilePreset } from 'lowdb/node';
import { parse } from 'yaml';
import { root } from '../../repository.ts';
import { apiKey, basePath, inArray, pets } from '../workload.ts';

const file = join(process.argv[2] ?? '', 'plain.json');
const db = await JSONFilePreset<{ pets: Pet[] }>(file, { pets: pets() });
const api = inArray(db.data.pets);

const app = express();
app.use(express.json());
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${apiKey}`) next();
  else response.status(401).json({ status: 401 });
});
// The validator does not replace the variables of an address.
const apiSpec = { ...parse(readFileSync(join(root, 'spec/openapi.yaml'), 'utf8')), servers: [{ url: basePath }] };
app.use(validator.middleware({ apiSpec, validateSecurity: false }));
const routes = express.Router();
routes.get('/pets', (request, response) => void response.json(api.listPets(request.query)));
routes.get(
  '/pets/:petId',
  (request, response) => void response.json(api.getPet({ petId: Number(request.params.petId) })),
);
routes.post('/pets', async (request, response) => {
  const pet = api.createPet(request.body as NewPet);
  await db.write();
  response.status(201).json(pet);
});
app.use(basePath, routes);
const server = app.listen(0, '127.0.0.1', () =>
  console.error(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
