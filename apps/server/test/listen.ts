import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../src/app.ts';
import { givenKeys, keyCheck } from '../src/keys.ts';
import { basePath } from '../src/spec.ts';
import { memoryStore } from '../src/store/memory.ts';

export interface Listening {
  origin: string;
  baseUrl: string;
  apiKey: string;
  close(): Promise<void>;
}

/** A server on a port of its own, over an empty store, with every answer checked against the spec. */
export async function listen(): Promise<Listening> {
  const apiKey = 'a-key-for-tests';
  const server = createServer(createApp(memoryStore(), { keys: keyCheck(givenKeys(apiKey)), validateResponses: true }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    baseUrl: origin + basePath,
    apiKey,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
