// json-server as its documentation shows it as a module: `json-server.js <documents.json> <file of its own>`. It keeps what
// is added in that file, and knows no keys.
import { readFileSync, writeFileSync } from 'node:fs';
import jsonServer from 'json-server';
import { basePath, collection } from '../../workload.ts';

const [source, file] = process.argv.slice(2);
writeFileSync(file, JSON.stringify({ [collection]: JSON.parse(readFileSync(source, 'utf8')) }));

const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false, bodyParser: true }));
app.use(basePath, jsonServer.router(file));
const server = app.listen(0, '127.0.0.1', () => console.error(`http://127.0.0.1:${server.address().port}`));
