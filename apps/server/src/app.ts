import type { RequestListener } from 'node:http';
import type { Express } from 'express';
import { cached } from './cached.ts';
import { fastPath } from './http/fast-path.ts';
import { contextOf, passTo } from './http/request-context.ts';
import { type AppOptions, createPipeline, type RequestPipeline } from './http/request-pipeline.ts';
import type { Store } from './store/store.ts';

export type { AppOptions } from './http/request-pipeline.ts';

/** The server as a request listener, for `listen`, for embedding and for tests. */
export async function createApp(store: Store, options: AppOptions): Promise<RequestListener> {
  return (await createApps(store, options)).app;
}

/** Creates the request listeners of the server and its admin port, and a function that loads Express before a request needs it. */
export async function createApps(store: Store, options: AppOptions) {
  const pipeline = createPipeline(store, options);
  const admin = lazyListener(pipeline, ({ adminApp }) => adminApp(pipeline));
  const express = lazyListener(pipeline, ({ expressApp }) => expressApp(pipeline));
  // Only the Express app can validate responses, so it serves every request then.
  if (pipeline.validateResponses) await express.load();
  const app = pipeline.validateResponses
    ? rejectingMalformed(pipeline, express.listener)
    : fastPath(pipeline, express.listener);
  return { app, admin: rejectingMalformed(pipeline, admin.listener), load: express.load };
}

/** Rejects malformed requests before they reach the app, because Express leaves some malformed requests without a response. */
export function rejectingMalformed({ acceptRequest }: RequestPipeline, app: RequestListener): RequestListener {
  return (request, response) => {
    const context = acceptRequest(request, response);
    if (context) passTo(app, request, response, context);
  };
}

/** The Express app alone, to inspect its routes. It can only serve requests that `rejectingMalformed` has passed on. */
export async function createExpressApp(store: Store, options: AppOptions): Promise<Express> {
  const { expressApp } = await loadExpress();
  return expressApp(createPipeline(store, options));
}

/** The server without the fast path: the Express app serves every request. */
export async function createExpressListener(store: Store, options: AppOptions): Promise<RequestListener> {
  const { expressApp } = await loadExpress();
  const pipeline = createPipeline(store, options);
  return rejectingMalformed(pipeline, expressApp(pipeline));
}

const loadExpress = () => import('./http/express-app.ts');

type ExpressModule = Awaited<ReturnType<typeof loadExpress>>;

/** A listener that loads its app at the first request, because loading Express takes as long as the rest of a start. */
function lazyListener({ respondWithError }: RequestPipeline, create: (module: ExpressModule) => RequestListener) {
  const load = cached(() => loadExpress().then(create));
  const listener: RequestListener = (request, response) => {
    load().then(
      (loaded) => loaded(request, response),
      (error) => respondWithError(error, response, contextOf(response)),
    );
  };
  return { listener, load };
}
