import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { DRAIN_SWEEP_MS, IDLE_SWEEP_MS } from '../limits.ts';
import { awaitContinue } from './body.ts';
import { Connection, type ConnectionPool, UnsentBytes } from './connection.ts';
import { errorOfStatus, HttpError } from './http-error.ts';
import { createServer } from './node-http.ts';
import type { Rejection } from './observe.ts';
import { WholeResponse } from './whole-response.ts';

/** Times are in milliseconds. */
export interface ListenOptions extends ConnectionOptions {
  host: string;
  port: number;
  /** Connections beyond these are turned away. */
  maxConnections: number;
}

export interface ConnectionOptions {
  /** For the head of a request to arrive. */
  headersTimeout: number;
  /** For a whole request to arrive. */
  requestTimeout: number;
  /** For a client that takes nothing of a response. */
  responseTimeout?: number;
  /** For the next request on a connection. */
  keepAliveTimeout?: number;
  /** The bytes of responses that wait for their clients, on all connections. */
  responseMemory?: number;
  /** Called for each response to bytes that never became a request. */
  onRejection?(rejection: Rejection): void;
}

export interface Listener extends Draining {
  /** Where it listens, without a path. */
  readonly origin: string;
}

/** What takes requests from sockets that another process has accepted. */
export interface SocketTaker extends Draining {
  take(socket: Socket): void;
}

export interface Draining {
  /** From now on each response ends its connection, so that clients come back to another server. */
  sendAway(): void;
  /**
   * Stops accepting, and resolves when every request that had come was answered, or so many milliseconds have passed. The
   * result is the number of requests that were cut. Idle connections are closed after `idleMs`.
   */
  drain(timeoutMs: number, idleMs?: number): Promise<number>;
}

/** Listens for requests. Whatever Node would answer without a body, or drop, gets an Error too. */
export async function listen(app: RequestListener, options: ListenOptions): Promise<Listener> {
  const { host, port, maxConnections } = options;
  const { server, draining } = httpServer(app, options);
  server.maxConnections = maxConnections;
  server.listen(port, host);
  await once(server, 'listening');
  return { origin: originOf(server.address() as AddressInfo), ...draining };
}

/** The same for sockets that another process has accepted. */
export function takeSockets(app: RequestListener, options: ConnectionOptions): SocketTaker {
  const { server, draining } = httpServer(app, options);
  // Node watches the times of its connections from this event on, and finds the idle ones.
  server.emit('listening');
  const take = (socket: Socket) => {
    // As Node has it on the sockets that it accepts for http.
    socket.allowHalfOpen = true;
    server.emit('connection', socket);
  };
  return { take, ...draining };
}

function httpServer(app: RequestListener, options: ConnectionOptions): { server: Server; draining: Draining } {
  const { headersTimeout, requestTimeout } = options;
  const { responseTimeout = 30_000, keepAliveTimeout = 65_000, responseMemory = 2 ** 26, onRejection } = options;
  const pool: ConnectionPool = {
    app,
    responseTimeout,
    keepAlive: keepAliveLines(keepAliveTimeout),
    unsent: new UnsentBytes(responseMemory),
    connections: new Map(),
    waiting: 0,
    draining: false,
    onRejection: onRejection ?? (() => {}),
  };
  const { connections } = pool;
  const take = (request: IncomingMessage, response: ServerResponse) =>
    connections.get(request.socket)?.take(request, response);

  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      connectionsCheckingInterval: 1000,
      // Node's own check answers without a body.
      requireHostHeader: false,
      optimizeEmptyRequests: true,
      ServerResponse: WholeResponse,
    },
    take,
  );
  // A client that has ended its side still gets the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  let sweep: NodeJS.Timeout | undefined;
  const closeIdle = () => {
    for (const connection of connections.values()) connection.closeIfIdle(keepAliveTimeout);
  };
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket, pool);
    connections.set(socket, connection);
    sweep ??= setInterval(closeIdle, Math.min(keepAliveTimeout, IDLE_SWEEP_MS)).unref();
    socket.once('close', () => {
      connections.delete(socket);
      connection.forget();
      if (connections.size > 0) return;
      clearInterval(sweep);
      sweep = undefined;
      server.emit(EMPTY);
    });
  });
  server.on('checkContinue', (request, response) => {
    awaitContinue(request);
    take(request, response);
  });
  server.on('checkExpectation', take);
  server.on('connect', (_request, socket) => {
    const error = new HttpError('method_not_allowed', 'CONNECT is not supported.', { headers: { Allow: '' } });
    connections.get(socket as Socket)?.fail(error);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else connections.get(socket as Socket)?.fail(malformed(error));
  });
  return { server, draining: { sendAway: () => sendAway(pool), drain: (...times) => drain(server, pool, ...times) } };
}

/** Emitted when the last connection has ended. */
const EMPTY = Symbol('no connections');

function sendAway(pool: ConnectionPool): void {
  pool.draining = true;
  for (const connection of pool.connections.values()) connection.drain();
}

async function drain(
  server: Server,
  pool: ConnectionPool,
  timeoutMs: number,
  idleMs = DRAIN_SWEEP_MS,
): Promise<number> {
  const { connections } = pool;
  const closed =
    server.listening || connections.size > 0 ? once(server, server.listening ? 'close' : EMPTY) : undefined;
  // Without http's own close, which destroys quiet connections though a request may be on its way.
  NetServer.prototype.close.call(server);
  sendAway(pool);
  const sweep = setInterval(() => {
    // Node takes a connection for idle whose response has ended and not left.
    if (![...connections.values()].some(({ isFlushing }) => isFlushing)) server.closeIdleConnections();
    // Node 22 does not take a connection for idle on which nothing has been sent yet.
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
  }, idleMs);
  let cut = 0;
  const deadline = setTimeout(() => {
    for (const { open } of connections.values()) cut += open;
    // Whatever is not idle for Node then waits for the rest of a head.
    server.closeIdleConnections();
    for (const [socket, { isArriving }] of connections) {
      if (isArriving) cut++;
      socket.destroy();
    }
  }, timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
  return cut;
}

/** The lines of a head that keeps its connection, as Node writes them. */
function keepAliveLines(timeoutMs: number): string {
  const hint = timeoutMs > 0 ? `Keep-Alive: timeout=${Math.floor(timeoutMs / 1000)}\r\n` : '';
  return `Connection: keep-alive\r\n${hint}`;
}

/** The origin of a server that listens there. */
export function originOf({ address, port, family }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** The error that answers bytes that are no request. */
function malformed({ code }: NodeJS.ErrnoException): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW') return errorOfStatus(431, 'The head of the request is too large.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return errorOfStatus(413, 'The chunk extensions are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errorOfStatus(408, 'The request took too long to arrive.');
  return new HttpError('invalid_request', 'This is not a well-formed HTTP request.');
}
