// The API as the documentation of Express, express-openapi-validator and lowdb suggests it: `straightforward.js <documents.json> <file of its own>`. Plain JavaScript, as the examples are.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { middleware } from 'express-openapi-validator';
import { JSONFilePreset } from 'lowdb/node';
import { parse } from 'yaml';
import { basePath, collectionPath, filter } from '../../workload.ts';

const [source, file] = process.argv.slice(2);
const db = await JSONFilePreset(file, { documents: JSON.parse(readFileSync(source, 'utf8')) });
const spec = parse(readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8'));

const app = express();
app.use(express.json());
app.use((request, response, next) => {
  if (request.headers.authorization === `Bearer ${process.env.API_KEY}`) return next();
  response.status(401).json({ code: 'unauthorized', message: 'The API key is missing or invalid.', status: 401 });
});
app.use(middleware({ apiSpec: { ...spec, servers: [{ url: basePath }] }, validateSecurity: false }));

app.get(collectionPath, (request, response) => {
  const { limit, after = 0, [filter.property]: value } = request.query;
  const found = db.data.documents.filter(
    (document) => document.id > after && (value === undefined || document[filter.property] === value),
  );
  response.json(found.slice(0, limit));
});

app.post(collectionPath, async (request, response) => {
  const document = { id: db.data.documents.length + 1, ...request.body };
  db.data.documents.push(document);
  await db.write();
  response.status(201).json(document);
});

app.get(`${collectionPath}/:id`, (request, response) => {
  const document = db.data.documents.find(({ id }) => id === Number(request.params.id));
  if (document) response.json(document);
  else response.status(404).json({ code: 'not_found', message: 'There is no such document.', status: 404 });
});

app.use((error, _request, response, _next) => {
  const status = error.status ?? 500;
  response
    .status(status)
    .json({ code: status < 500 ? 'invalid_request' : 'internal_error', message: error.message, status });
});

const server = app.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${server.address().port}`));
