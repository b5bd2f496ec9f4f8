import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import { DEFAULTS, IDLE_SWEEP_MS, KEEP_ALIVE_GRACE_MS } from '../limits.ts';
import { awaitContinue } from './body.ts';
import { Connection, type SharedState } from './connection.ts';
import { type Draining, drainingOf, NO_CONNECTIONS } from './drain.ts';
import { errorOfStatus, HttpError } from './http-error.ts';
import type { Rejection } from './observe.ts';
import { WholeResponse } from './response.ts';
import { UnsentBytes } from './unsent-bytes.ts';

// Like in response.ts, without an `import`, which would also load fetch.
const { createServer } = process.getBuiltinModule('node:http');

/** Times are in milliseconds. */
export interface ListenOptions extends ConnectionOptions {
  host: string;
  port: number;
  /** Connections beyond this number are closed at once. */
  maxConnections: number;
}

export interface ConnectionOptions {
  /** The time for the head of a request to arrive. */
  headersTimeout: number;
  /** The time for a complete request to arrive. */
  requestTimeout: number;
  /** The time without progress after which a response is aborted. */
  responseTimeout?: number;
  /** The time to keep an idle connection open for another request. */
  keepAliveTimeout?: number;
  /** The limit of unflushed response bytes, on all connections. */
  responseMemory?: number;
  /** Called for each response that the app does not give. */
  onRejection?(rejection: Rejection): void;
}

export interface Listener extends Draining {
  /** The origin that clients connect to, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
}

/** Listens for requests. Where Node would respond without a body, or drop the request, this server responds with a JSON error. */
export async function listen(app: RequestListener, options: ListenOptions): Promise<Listener> {
  const { host, port, maxConnections } = options;
  const { server, draining } = httpServer(app, options);
  server.maxConnections = maxConnections;
  return { origin: await listenOn(server, host, port), ...draining };
}

function httpServer(app: RequestListener, options: ConnectionOptions): { server: Server; draining: Draining } {
  const { headersTimeout, requestTimeout, onRejection } = options;
  const {
    responseTimeout = DEFAULTS.responseTimeout,
    keepAliveTimeout = DEFAULTS.keepAliveTimeout,
    responseMemory = DEFAULTS.responseMemory,
  } = options;
  const shared: SharedState = {
    app,
    requestTimeout,
    responseTimeout,
    keepAlive: keepAliveLines(keepAliveTimeout),
    unsent: new UnsentBytes(responseMemory),
    connections: new Map(),
    waiting: 0,
    draining: false,
    onRejection: onRejection ?? (() => {}),
  };
  const { connections } = shared;
  const accept = (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.accept(request, response);

  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: 1000,
      // Node's check would respond without a body, so `messageError` checks the header.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      ServerResponse: WholeResponse,
    },
    accept,
  );
  // 0 means no limit: beyond a limit, Node 22 ignores headers, even a second Host. The size of the head bounds their number.
  server.maxHeadersCount = 0;
  // A half-closed connection still gets the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  let sweep: NodeJS.Timeout | undefined;
  const closeIdle = () => {
    for (const connection of connections.values()) connection.closeIfIdle(keepAliveTimeout + KEEP_ALIVE_GRACE_MS);
  };
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket, shared);
    connections.set(socket, connection);
    sweep ??= setInterval(closeIdle, Math.min(keepAliveTimeout, IDLE_SWEEP_MS)).unref();
    socket.once('close', () => {
      connections.delete(socket);
      connection.dropWaiting();
      if (connections.size > 0) return;
      clearInterval(sweep);
      sweep = undefined;
      server.emit(NO_CONNECTIONS);
    });
  });
  server.on('checkContinue', (request, response) => {
    awaitContinue(request);
    accept(request, response);
  });
  server.on('checkExpectation', accept);
  server.on('connect', (_request, socket) => {
    const error = new HttpError('method_not_allowed', 'CONNECT is not supported.', { headers: { Allow: '' } });
    connections.get(socket as Socket)?.fail(error);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket as Socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') connection?.expire(malformed(error));
    else connection?.fail(malformed(error));
  });
  return { server, draining: drainingOf(server, shared) };
}

/** The header lines that keep a connection open, as Node writes them. */
function keepAliveLines(timeoutMs: number): string {
  const hint = timeoutMs > 0 ? `Keep-Alive: timeout=${Math.floor(timeoutMs / 1000)}\r\n` : '';
  return `Connection: keep-alive\r\n${hint}`;
}

/** Starts listening, and returns the origin that clients connect to. */
async function listenOn(server: NetServer, host: string, requestedPort: number): Promise<string> {
  server.listen(requestedPort, host);
  await once(server, 'listening');
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** The error for a request that Node cannot parse, or that did not arrive in time. */
function malformed({ code }: NodeJS.ErrnoException): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW') return errorOfStatus(431, 'The head of the request is too large.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return errorOfStatus(413, 'The chunk extensions are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errorOfStatus(408, 'The request took too long to arrive.');
  const orMethod = code === 'HPE_INVALID_METHOD' ? ', or its method is unknown' : '';
  return new HttpError('invalid_request', `This is not a well-formed HTTP request${orMethod}.`);
}
