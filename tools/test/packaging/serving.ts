import { once } from 'node:events';
import { createServer } from 'node:http';
import { createApp, givenKeys, keyCheck, memoryStore } from '@petstore/server';

export interface Serving {
  /** Its address and a key, as the programs of `consumers` take them. */
  readonly args: [baseUrl: string, apiKey: string];
  close(): Promise<void>;
}

/** A real server over an empty store. */
export async function serving(): Promise<Serving> {
  const apiKey = 'a-key-that-is-for-tests';
  const server = createServer(await createApp(memoryStore(), { keys: keyCheck(givenKeys(apiKey)) }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    args: [`http://127.0.0.1:${port}/v1`, apiKey],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
