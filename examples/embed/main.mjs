// The Petstore within an Express program that has other routes. It needs @petstore/server (its README says
// how to install it) and express: `PETSTORE_API_KEYS='me=<a key>' node main.mjs`. It stores its pets in ./data.
import { createApp, keysFrom, openLowdbStore } from '@petstore/server';
import express from 'express';

// Error messages name the variable.
const keys = keysFrom(process.env.PETSTORE_API_KEYS ?? '', 'PETSTORE_API_KEYS');
const store = await openLowdbStore('data');
const petstore = createApp(store, { keys });

const app = express();
app.get('/hello', (_request, response) => {
  response.send('Hello\n');
});
// The Petstore belongs at the root, because it matches whole paths; before body parsers, because it reads bodies itself;
// and after other routes, because it responds to unknown paths with 404.
app.use(petstore);

const server = app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});

process.once('SIGTERM', () => {
  // Stores every accepted write before the program ends.
  server.close(() => store.close());
});
