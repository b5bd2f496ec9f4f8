import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { waitsForContinue } from './body.ts';
import { Failure, failureOf } from './failure.ts';
import { plainTarget } from './plain-target.ts';
import { answerRaw } from './raw-answer.ts';

export interface ListenOptions {
  host: string;
  port: number;
  /** Connections beyond these are turned away. */
  maxConnections: number;
  /** Milliseconds for the head of a request to arrive. */
  headersTimeout: number;
  /** Milliseconds for a whole request to arrive. */
  requestTimeout: number;
}

export interface Listener {
  /** Where it listens, without a path. */
  readonly origin: string;
  /** Stops accepting, and resolves when every request that had come was answered, or `within` milliseconds have passed. */
  drain(within: number): Promise<void>;
}

/** Milliseconds a kept-alive connection may be quiet during the drain: long enough for a request that was on its way. */
const quiet = 250;

/** Listens for requests. What Node would answer without a body, or drop, gets an Error too. */
export async function listen(app: RequestListener, options: ListenOptions): Promise<Listener> {
  const { host, port, maxConnections, headersTimeout, requestTimeout } = options;
  /** The latest answer of each connection. */
  const latest = new Map<Duplex, ServerResponse>();
  let draining = false;

  const take = (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response);
    request.url = plainTarget(request.url ?? '/');
    if (draining) response.setHeader('Connection', 'close');
    // Node's own check answers without a body.
    if (!request.headers.host && request.httpVersion === '1.1') {
      return answerRaw(request.socket, new Failure('invalid_request', 'The Host header is missing.'));
    }
    app(request, response);
  };

  const server = createServer(
    {
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
      optimizeEmptyRequests: true,
    },
    take,
  );
  server.maxConnections = maxConnections;
  server.on('connection', (socket) => socket.once('close', () => latest.delete(socket)));
  server.on('checkContinue', (request, response) => {
    waitsForContinue(request);
    take(request, response);
  });
  server.on('checkExpectation', (request) => {
    answerRaw(request.socket, failureOf(417, `The expectation '${request.headers.expect}' cannot be met.`));
  });
  server.on('connect', (_request, socket) => {
    answerRaw(socket, new Failure('method_not_allowed', 'CONNECT is not possible here.', { headers: { Allow: '' } }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = latest.get(socket);
    // An answer that has begun cannot be taken back; one that has not begun never will.
    if (answer?.headersSent && !answer.writableFinished) socket.destroy();
    else answerRaw(socket, malformed(error));
  });

  server.listen(port, host);
  await once(server, 'listening');
  return {
    origin: originOf(server),
    drain: async (within) => {
      draining = true;
      const closed = once(server, 'close');
      // Without http's own close, which destroys quiet connections though a request may be on its way.
      NetServer.prototype.close.call(server);
      for (const response of latest.values()) if (!response.headersSent) response.setHeader('Connection', 'close');
      const sweep = setInterval(() => server.closeIdleConnections(), quiet);
      const deadline = setTimeout(() => server.closeAllConnections(), within);
      await closed;
      clearInterval(sweep);
      clearTimeout(deadline);
    },
  };
}

function originOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** What is said of bytes that are no request. */
function malformed({ code }: NodeJS.ErrnoException): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') return failureOf(431, 'The head of the request is too large.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return failureOf(413, 'The chunk extensions are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return failureOf(408, 'The request took too long to arrive.');
  return new Failure('invalid_request', 'This is not a well-formed HTTP request.');
}
