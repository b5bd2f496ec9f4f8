// The Petstore in an Express program that has paths of its own. It needs `npm install @petstore/server express`, is run with
// `PETSTORE_API_KEYS='me=<a key>' node main.mjs`, and stores its pets in ./data.
import { createApp, givenKeys, keyCheck, openLowdbStore } from '@petstore/server';
import express from 'express';

const store = await openLowdbStore('data');
const petstore = await createApp(store, { keys: keyCheck(givenKeys(process.env.PETSTORE_API_KEYS ?? '')) });

const app = express();
app.get('/hello', (_request, response) => {
  response.send('Hello\n');
});
// At the root and before body parsers: it reads bodies itself, and answers 404 for every path that is not its own.
app.use(petstore);

const server = app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});

process.once('SIGTERM', () => {
  // Each write that was accepted is stored before the program ends.
  server.close(() => store.close());
});
