import type { RequestListener } from 'node:http';
import type { Express } from 'express';
import { adminListener, expressApp, expressListener } from './http/express-app.ts';
import { fastPath } from './http/fast-path.ts';
import { type AppOptions, createParts } from './http/parts.ts';
import type { Store } from './store/store.ts';

export type { AppOptions } from './http/parts.ts';

/** The server without a socket: for listening, for embedding, and for tests. Rejects if the spec cannot be used. */
export async function createApp(store: Store, options: AppOptions): Promise<RequestListener> {
  return (await createApps(store, options)).app;
}

/** The same, and the app of an admin port, which shares its metrics. */
export async function createApps(store: Store, options: AppOptions) {
  const parts = await createParts(store, options);
  return {
    // Responses are checked in Express alone.
    app: options.validateResponses ? expressListener(parts) : fastPath(parts, expressApp(parts)),
    admin: adminListener(parts),
  };
}

/** The Express app alone, for looking at its routes: it answers only what `createApp` has accepted. */
export async function createExpressApp(store: Store, options: AppOptions): Promise<Express> {
  return expressApp(await createParts(store, options));
}
