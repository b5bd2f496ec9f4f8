import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { givenKeys, keptKeys, keyCheck } from './keys.ts';
import { memoryStore } from './store/memory.ts';

export interface Running {
  /** Where it listens, without a path. */
  origin: string;
  /** The key that was made because there was none yet; told once. */
  madeKey: string | undefined;
  /** Stops accepting, answers what is in flight, closes the store. */
  stop(): Promise<void>;
}

/** Starts the server with these settings. */
export async function serve(config: Config): Promise<Running> {
  const { hashes, made } = config.apiKeys ? { hashes: givenKeys(config.apiKeys) } : keptKeys(config.dataDir);
  const store = memoryStore();
  const server = createServer(
    createApp(store, { keys: keyCheck(hashes), validateResponses: config.validateResponses }),
  );
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const { address, port, family } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    madeKey: made,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
      await store.close();
    },
  };
}
