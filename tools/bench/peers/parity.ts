// Adds to Fastify what our server adds to each response: request identifier, ETag, links, notices
// of deprecation, metrics, and one line of log with the same properties.
import { hash, randomUUID } from 'node:crypto';
import { type Operation, operations, service } from '@petstore/types';
import type { FastifyInstance, FastifyReply, FastifyServerOptions } from 'fastify';
import { destination, stdTimeFunctions } from 'pino';
import { Counter, collectDefaultMetrics, Histogram, register } from 'prom-client';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

collectDefaultMetrics();
const requests = new Counter({
  name: 'requests_total',
  help: 'Responses by operation and status.',
  labelNames: ['operation', 'status'],
});
const durations = new Histogram({
  name: 'request_duration_seconds',
  help: 'Time from the head of a request to the end of its response, by operation.',
  labelNames: ['operation'],
});

/** The headers by which the responses of a deprecated operation say so. */
const notices = new Map<Operation | undefined, Record<string, string>>();
for (const operation of Object.values<Operation>(operations))
  notices.set(operation, noticesOf(operation));

/** The options by which Fastify counts its request identifiers and writes its log as ours does. */
export function optionsWithParity(): FastifyServerOptions {
  const run = randomUUID();
  let count = 0;
  return {
    requestIdHeader: 'x-request-id',
    genReqId: () => `${run}-${++count}`,
    disableRequestLogging: true,
    logger: {
      timestamp: stdTimeFunctions.isoTime,
      stream: destination({ dest: 1, sync: false, minLength: 4096 }),
    },
  };
}

export function addOurFeatures(app: FastifyInstance): void {
  app.get('/metrics', async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.headers(notices.get(request.routeOptions.config.operation) ?? {});
    next();
  });
  app.addHook('onSend', (request, reply, payload, next) => {
    if (request.method !== 'GET' || typeof payload !== 'string') return next();
    const etag = `"${hash('sha1', payload, 'base64url')}"`;
    reply.header('etag', etag);
    if (request.headers['if-none-match'] !== etag) return next();
    reply.code(304);
    next(null, null);
  });
  app.addHook('onResponse', (request, reply, next) => {
    const operation = request.routeOptions.config.operation?.id ?? 'none';
    const status = reply.statusCode;
    requests.inc({ operation, status });
    durations.observe({ operation }, reply.elapsedTime / 1000);
    request.log.info({
      method: request.method,
      path: request.url,
      operation,
      key: 'bench',
      client: request.ip,
      status,
      ms: reply.elapsedTime,
    });
    next();
  });
}

/** Links to the next page, if there is one. */
export function linkNext(reply: FastifyReply, after: number | undefined): void {
  if (after === undefined) return;
  const query = new URLSearchParams(reply.request.url.split('?')[1]);
  query.set('after', `${after}`);
  reply.header('link', `<?${query}>; rel="next"`);
}

function noticesOf({ deprecatedSince, sunset, successor }: Operation): Record<string, string> {
  const headers: Record<string, string> = {};
  const instead = Object.values<Operation>(operations).find(({ id }) => id === successor);
  if (deprecatedSince) headers.deprecation = `@${Date.parse(deprecatedSince) / 1000}`;
  if (sunset) headers.sunset = new Date(sunset).toUTCString();
  if (instead) headers.link = `<${service.basePath}${instead.path}>; rel="successor-version"`;
  return headers;
}
