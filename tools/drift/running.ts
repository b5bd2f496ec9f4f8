// Servers for the checks, in this process.
import {
  type AppOptions,
  createApp,
  keysFrom,
  listen,
  memoryStore,
  type Store,
} from '@petstore/server';
import { apiKey, type Context, Exchange } from './exchange.ts';

export interface Setting {
  readonly options?: Partial<AppOptions>;
  /** Default: an empty store in memory. */
  readonly store?: Store | Promise<Store>;
}

/** Starts a server, lets it be used, and stops it. */
export async function withServer<T>(
  context: Context,
  { options, store = memoryStore() }: Setting,
  use: (server: Exchange, origin: string) => Promise<T>,
): Promise<T> {
  const app = createApp(store, { keys: keysFrom(`drift=${apiKey}`), ...options });
  const { origin, stop } = await listen(app, { host: '127.0.0.1', port: 0 });
  try {
    return await use(new Exchange(context, origin), origin);
  } finally {
    await stop(0);
  }
}
