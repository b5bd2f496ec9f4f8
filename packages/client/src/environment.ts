import { version } from '@petstore/types';
import type { ConnectOptions } from './connection.ts';

interface Globals {
  process?: { env?: Record<string, string | undefined>; versions?: { node?: string } };
}

/** The options with what the environment says, where there is one: `PETSTORE_API_KEY`, `PETSTORE_BASE_URL`, and the runtime. */
export function withEnvironment<Options extends ConnectOptions>(options: Options): Options {
  const { env = {}, versions } = (globalThis as Globals).process ?? {};
  const { apiKey = env.PETSTORE_API_KEY, baseUrl = options.deployment ? undefined : env.PETSTORE_BASE_URL } = options;
  return {
    ...options,
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
    // A browser sends its own.
    headers: { ...(versions?.node && { 'user-agent': `petstore-client/${version}` }), ...options.headers },
  };
}
