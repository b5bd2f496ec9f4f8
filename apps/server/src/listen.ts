import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpError, malformed } from './errors.ts';
import type { Log } from './log.ts';
import { type App, constantHeaders, newRequestId } from './request.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** The milliseconds for a request to arrive. */
  readonly requestTimeout?: number;
  readonly log?: Log;
}

/** So many requests of one connection wait at most; then it is not read. */
const MAX_WAITING = 16;

const notSupported = new HttpError('method_not_allowed', 'CONNECT is not supported.', {
  headers: { Allow: '' },
});

/** The responses of one connection, which are made one after the other. */
interface Connection {
  current?: ServerResponse | undefined;
  /** That of the last request that has begun to arrive. */
  last?: ServerResponse;
  readonly waiting: ServerResponse[];
  /** Ends the connection after the last response. Nothing that follows is read. */
  end?: () => void;
}

/** Serves an app. Where Node would answer without a body, the answer is an error of the spec. */
export async function listen(app: App, options: ListenOptions) {
  const { host, port, requestTimeout = 30_000, log } = options;
  const connections = new Map<Socket, Connection>();
  let isStopping = false;
  const server = createServer({
    headersTimeout: Math.min(10_000, requestTimeout),
    requestTimeout,
    // More than load balancers keep their connections open.
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 500,
    // Node's check would answer without a body.
    requireHostHeader: false,
  });
  // Beyond `maxHeadersCount`, Node ignores headers. The size of the head bounds their number. A client that has sent all may
  // close its half of the connection.
  Object.assign(server, { maxConnections: 10_000, maxHeadersCount: 0, httpAllowHalfOpen: true });
  // The time for a client to read on, before its connection is closed.
  server.setTimeout(30_000);

  const accept = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    // What follows a response that closes the connection could not be answered.
    if (!connection || connection.end || !socket.writable) return;
    connection.last = response;
    // Node drops bytes after an offer to upgrade, so the next ones could be misread.
    if (request.headers.upgrade !== undefined) {
      response.setHeader('Connection', 'close');
      connection.end = () => socket.end();
    }
    if (!connection.current) serve(connection, response);
    else if (connection.waiting.push(response) >= MAX_WAITING) socket.pause();
  };

  const serve = (connection: Connection, response: ServerResponse) => {
    const { socket } = response.req;
    connection.current = response;
    if (isStopping && connection.waiting.length === 0) response.setHeader('Connection', 'close');
    response.once('close', () => {
      connection.current = undefined;
      if (!socket.writable) connection.waiting.length = 0;
      const next = connection.waiting.shift();
      if (connection.waiting.length < MAX_WAITING) socket.resume();
      if (next) serve(connection, next);
      else if (connection.end) connection.end();
      else if (isStopping) socket.destroySoon();
    });
    app(response.req, response);
  };

  const reject = (socket: Socket, error: HttpError) => {
    if (!socket.writable) return void socket.destroy();
    const requestId = newRequestId();
    const headers = {
      ...{ 'X-Request-Id': requestId, ...constantHeaders(), ...error.headers, Connection: 'close' },
      ...{
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(error.json),
      },
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    log?.rejected(requestId, error.status, socket.remoteAddress);
    socket.end(
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${error.json}`,
    );
    // The rest is read and forgotten for a moment, so that the client gets the answer.
    socket.resume();
    setTimeout(() => socket.destroy(), 1000).unref();
  };

  /** Ends a connection after the responses that come before. */
  const fail = (socket: Socket, error: HttpError) => {
    const connection = connections.get(socket);
    if (!connection || connection.end) return;
    const { current, last, waiting } = connection;
    // A fault within a body is the fault of its request, which gets only one response.
    const isInBody = last !== undefined && !last.req.complete;
    if (isInBody && waiting.at(-1) === last) waiting.pop();
    const isAnswered = isInBody && last.headersSent;
    connection.end = isAnswered ? () => socket.end() : () => reject(socket, error);
    if (!current || (isInBody && current === last && !isAnswered)) connection.end();
  };

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { waiting: [] });
    // Node does not handle a reset after CONNECT.
    socket.once('close', () => connections.delete(socket)).on('error', () => socket.destroy());
  });
  server.on('request', accept).on('checkContinue', accept).on('checkExpectation', accept);
  server.on('connect', (_request, socket) => fail(socket as Socket, notSupported));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    // The response that closes the connection is the last one.
    else if (error.code !== 'HPE_CLOSED_CONNECTION') fail(socket as Socket, errorOf(error));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: openPort, family } = server.address() as AddressInfo;

  /** Finishes the requests in flight within a time, and closes all connections. */
  const stop = async (milliseconds: number) => {
    isStopping = true;
    const closed = once(server, 'close');
    server.close();
    // A head may be on its way.
    await Promise.race([closed, pause(Math.min(300, milliseconds))]);
    for (const [socket, { current }] of connections) if (!current) socket.destroy();
    await Promise.race([closed, pause(milliseconds, undefined, { ref: false })]);
    server.closeAllConnections();
    await closed;
  };
  /** The origin that clients connect to, such as `http://127.0.0.1:8080`. */
  const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${openPort}`;
  return { origin, stop };
}

/** The error for bytes that Node cannot parse, or that did not arrive in time. */
function errorOf({ code }: NodeJS.ErrnoException): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return malformed('The head of the request is too large.', 431);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return malformed('The request took too long to arrive.', 408);
  return malformed('This is not a well-formed HTTP request, or its method is unknown.');
}
