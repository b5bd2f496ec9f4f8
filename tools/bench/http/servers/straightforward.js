// What a good developer would write in an afternoon, as the documentation of Express, express-openapi-validator and lowdb
// shows it: `straightforward.js <pets.json> <file of its own>`. Plain JavaScript, as the examples are.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { middleware } from 'express-openapi-validator';
import { JSONFilePreset } from 'lowdb/node';
import { parse } from 'yaml';

const [source, file] = process.argv.slice(2);
const db = await JSONFilePreset(file, { pets: JSON.parse(readFileSync(source, 'utf8')) });
const spec = parse(readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8'));

const app = express();
app.use(express.json());
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${process.env.API_KEY}`) return next();
  response.status(401).json({ code: 'unauthorized', message: 'The API key is missing or invalid.', status: 401 });
});
app.use(middleware({ apiSpec: { ...spec, servers: [{ url: '/v1' }] }, validateSecurity: false }));

app.get('/v1/pets', (request, response) => {
  const { limit, after = 0, status } = request.query;
  const found = db.data.pets.filter((pet) => pet.id > after && (status === undefined || pet.status === status));
  response.json(found.slice(0, limit));
});

app.post('/v1/pets', async (request, response) => {
  const pet = { id: db.data.pets.length + 1, ...request.body };
  db.data.pets.push(pet);
  await db.write();
  response.status(201).json(pet);
});

app.get('/v1/pets/:petId', (request, response) => {
  const pet = db.data.pets.find(({ id }) => id === Number(request.params.petId));
  if (pet) response.json(pet);
  else response.status(404).json({ code: 'not_found', message: 'There is no such pet.', status: 404 });
});

app.use((error, _request, response, _next) => {
  const status = error.status ?? 500;
  response
    .status(status)
    .json({ code: status < 500 ? 'invalid_request' : 'internal_error', message: error.message, status });
});

const server = app.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${server.address().port}`));
