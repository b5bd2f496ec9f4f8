// Listens for an app, with limits and time-outs. Where Node would answer without a body, the answer is an error of the spec.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express, Request, Response } from 'express';
import { Connection } from './connection.ts';
import { HttpError, malformed } from './errors.ts';
import type { Log } from './log.ts';

/** An import of node:http would also load Node's `fetch`, which takes longer than a start of Node. */
const http = process.getBuiltinModule('node:http');

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The milliseconds for a request to arrive. */
  readonly requestTimeout?: number;
  readonly log?: Log;
}

export const MAX_CONNECTIONS = 10_000;
export const MAX_HEAD_MS = 10_000;
/** More than load balancers keep their connections open. */
export const KEEP_ALIVE_MS = 65_000;
/** The time for a client to read on, before its connection is closed. */
export const MAX_STANDSTILL_MS = 30_000;
/** The time for clients to learn that the connections close. */
const MIN_DRAIN_MS = 300;

/** A server that listens. */
export interface Listener {
  /** The origin that clients connect to, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** How many connections are open. */
  connections(): number;
  /** Goes on for some time, in which responses close their connections, so that no client is cut off. */
  drain(milliseconds: number): Promise<void>;
  /** Finishes the requests in flight within a time, and closes all connections. */
  stop(milliseconds: number): Promise<void>;
}

/** Serves an app. */
export async function listen(app: Express, options: ListenOptions): Promise<Listener> {
  const { host, port, log } = options;
  const connections = new Map<Socket, Connection>();
  const server = createLimitedServer(app, options);
  let isDraining = false;
  const serve = (request: IncomingMessage, response: ServerResponse) =>
    // They are what Express makes of messages: see `messageClasses`.
    app(request as Request, response as Response, (error?: unknown) => {
      // What Express cannot route, and what the error handler of the app throws.
      const failure = error ? internalError : malformed('The target of the request is malformed.');
      connections.get(request.socket)?.fail(failure);
    });
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket, serve, log);
    connections.set(socket, connection);
    if (isDraining) connection.drain();
    socket.on('close', () => connections.delete(socket));
    // Node does not handle a reset after CONNECT.
    socket.on('error', () => socket.destroy());
  });
  const accept = (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.accept(request, response);
  server.on('request', accept).on('checkContinue', accept).on('checkExpectation', accept);
  server.on('connect', ({ socket }) => connections.get(socket)?.fail(notSupported));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    // The response that closes the connection is the last one.
    else if (error.code !== 'HPE_CLOSED_CONNECTION')
      connections.get(socket as Socket)?.fail(errorOf(error));
  });
  server.listen(port, host);
  await once(server, 'listening');

  return {
    origin: originOf(server),
    connections: () => connections.size,
    drain: async (milliseconds: number) => {
      isDraining = true;
      for (const connection of connections.values()) connection.drain();
      await pause(Math.max(MIN_DRAIN_MS, milliseconds));
    },
    stop: async (milliseconds: number) => {
      const closed = once(server, 'close');
      const late = pause(milliseconds, undefined, { ref: false });
      server.close();
      for (const connection of connections.values()) connection.drain();
      // The head of a request may be on its way.
      await Promise.race([closed, late, pause(MIN_DRAIN_MS)]);
      for (const [socket, connection] of connections) if (connection.isIdle) socket.destroy();
      await Promise.race([closed, late]);
      server.closeAllConnections();
      await closed;
    },
  };
}

const internalError = new HttpError('internal_error', 'The server failed.');
const notSupported = new HttpError('method_not_allowed', 'CONNECT is not supported.', {
  headers: { Allow: '' },
});

function createLimitedServer(app: Express, { requestTimeout = 30_000 }: ListenOptions): Server {
  const server = http.createServer({
    ...messageClasses(app),
    headersTimeout: Math.min(MAX_HEAD_MS, requestTimeout),
    requestTimeout,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 500,
    // Node's check would answer without a body.
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CONNECTIONS;
  // Beyond this number, Node ignores headers. The size of the head bounds their number.
  server.maxHeadersCount = 0;
  server.setTimeout(MAX_STANDSTILL_MS);
  return server;
}

/**
 * Classes whose instances have the prototypes of the app already. Express would set these for each message, which makes all
 * that Node does with it slower.
 */
function messageClasses(app: Express) {
  class AppRequest extends http.IncomingMessage {}
  class AppResponse extends http.ServerResponse<AppRequest> {}
  adopt(AppRequest.prototype, app.request);
  adopt(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Gives a prototype the members and the parent of another. */
function adopt(prototype: object, other: object): void {
  Object.setPrototypeOf(prototype, Object.getPrototypeOf(other));
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(other));
}

function originOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** The error for bytes that Node cannot parse, or that did not arrive in time. */
function errorOf({ code }: NodeJS.ErrnoException): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return malformed('The head of the request is too large.', 431);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return malformed('The request took too long to arrive.', 408);
  return malformed('This is not a well-formed HTTP request, or its method is unknown.');
}
