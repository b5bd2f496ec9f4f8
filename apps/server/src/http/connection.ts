import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LINGER_MS, MAX_DISCARDED_BYTES, MAX_WAITING_PER_CONNECTION, MAX_WAITING_REQUESTS } from '../limits.ts';
import { breakBody } from './body.ts';
import type { HttpError } from './http-error.ts';
import { STATUS_CODES } from './node-http.ts';
import type { Rejection } from './observe.ts';
import { newRequestId } from './request-context.ts';
import { WholeResponse } from './whole-response.ts';

/** What the connections of a server share. */
export interface ConnectionPool {
  readonly app: RequestListener;
  readonly responseTimeout: number;
  /** The lines of a head that keeps a connection. */
  readonly keepAlive: string;
  readonly unsent: UnsentBytes;
  readonly connections: Map<Socket, Connection>;
  /** Pipelined requests that wait, on all connections. */
  waiting: number;
  draining: boolean;
  onRejection(rejection: Rejection): void;
}

/**
 * One connection. Its requests are worked on one at a time, in the order in which they came: a pipelined one is not started
 * before the response of the one before it has left, and nothing more is read meanwhile. Bytes that are no request are
 * answered behind everything that came before them.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #setTimeout: Socket['setTimeout'];
  readonly #pool: ConnectionPool;
  #current: ServerResponse | undefined;
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];
  /** The request that was parsed last; its body may still be arriving. */
  #latest: IncomingMessage | undefined;
  /** What is wrong with the bytes that came last. */
  #error: HttpError | undefined;
  /** The last response has been written. */
  #isClosing = false;
  /** When it was first found idle after these bytes had come. */
  #idle = { since: 0, bytes: -1 };

  constructor(socket: Socket, pool: ConnectionPool) {
    this.#socket = socket;
    this.#pool = pool;
    // Whatever resumes the socket, such as the end of a body, nothing is read while requests wait.
    socket.on('resume', () => {
      if (this.#waiting.length > 0) socket.pause();
    });
    // Node handles errors itself, but for a socket that asked to CONNECT: unhandled, a reset would end the process.
    socket.on('error', () => {});
    // Node would stop and start a timer for every request; `closeIfIdle` measures idle connections for less.
    this.#setTimeout = socket.setTimeout.bind(socket);
    socket.setTimeout = () => socket;
    // Node closes a connection so behind its last response.
    socket.destroySoon = () => this.#closeGently();
  }

  /** Requests that have come and are not answered in whole. */
  get open(): number {
    return this.#waiting.length + (this.#current ? 1 : 0);
  }

  /** Whether bytes that came last may be the beginning of a request. */
  get isArriving(): boolean {
    return this.open === 0 && !this.#isClosing && !this.#socket.destroyed && this.#socket.bytesRead > 0;
  }

  /** Whether a response has ended that has not left in whole. */
  get isFlushing(): boolean {
    return this.#current?.writableEnded ?? false;
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    // Nothing behind a response that closes the connection was promised an answer.
    if (this.#isClosing) return;
    this.#latest = request;
    if (!this.#current) return this.#start(request, response);
    this.#waiting.push([request, response]);
    this.#pool.waiting++;
    this.#socket.pause();
    if (this.#waiting.length > MAX_WAITING_PER_CONNECTION && this.#pool.waiting > MAX_WAITING_REQUESTS) {
      this.#socket.destroy();
    }
  }

  /** Answers, in its turn, what came last and is no request, or the beginning of one that will never be whole. */
  fail(error: HttpError): void {
    if (this.#error || this.#isClosing) return;
    this.#error = error;
    if (!this.#latest || isWhole(this.#latest)) {
      if (!this.#current) this.#reject(error);
      return;
    }
    const response = this.#waiting.at(-1)?.[1] ?? this.#current;
    // It was answered before its body came.
    if (!response) return this.#closeGently();
    if (!response.headersSent) response.setHeader('Connection', 'close');
    breakBody(this.#latest, error);
  }

  /** Ends the connection behind the request that is worked on. */
  drain(): void {
    if (this.#current && !this.#current.headersSent && this.#waiting.length === 0) {
      this.#current.setHeader('Connection', 'close');
    }
  }

  /** Closes a connection on which nothing has come since a response, for so long. */
  closeIfIdle(timeoutMs: number): void {
    if (!this.#latest || this.open > 0 || this.#isClosing) return;
    const [now, bytes] = [performance.now(), this.#socket.bytesRead];
    if (bytes !== this.#idle.bytes) this.#idle = { since: now, bytes };
    else if (now - this.#idle.since >= timeoutMs) this.#socket.destroy();
  }

  /** Drops the requests that wait. */
  forget(): void {
    this.#pool.waiting -= this.#waiting.length;
    this.#waiting.length = 0;
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#current = response;
    response.on('prefinish', this.#onEnd).on('close', this.#onClose).on('pipe', this.#onStream);
    if (response instanceof WholeResponse && isOrdinary(request)) response.keepAlive = this.#pool.keepAlive;
    if (this.#pool.draining && this.#waiting.length === 0) response.setHeader('Connection', 'close');
    this.#pool.app(request, response);
  }

  /** A stream may never end, so that it is measured by its progress from its beginning. */
  readonly #onStream = (): void => void this.#setTimeout(this.#pool.responseTimeout);

  /** The response was handed to the socket. */
  readonly #onEnd = (): void => {
    if (this.#socket.writableLength === 0) return;
    // Measured by progress, until the response has left.
    this.#setTimeout(this.#pool.responseTimeout);
    this.#pool.unsent.add(this.#socket);
  };

  /** The response has left, or the connection is gone. */
  readonly #onClose = (): void => {
    const request = this.#current?.req;
    this.#current = undefined;
    this.#pool.unsent.delete(this.#socket);
    if (this.#isClosing || this.#socket.destroyed) return;
    if (this.#socket.timeout) this.#setTimeout(0);
    if (request && !isWhole(request) && !isShort(request)) return this.#closeGently();
    const next = this.#waiting.shift();
    if (next) {
      this.#pool.waiting--;
      if (this.#waiting.length === 0) this.#socket.resume();
      this.#start(...next);
    } else if (this.#error) {
      if (this.#latest && isWhole(this.#latest)) this.#reject(this.#error);
      else this.#closeGently();
    }
  };

  /** Answers on the bare socket what never became a request, and ends the connection. */
  #reject(error: HttpError): void {
    const socket = this.#socket;
    if (!socket.writable) return void socket.destroy();
    const requestId = newRequestId();
    const body = JSON.stringify(error.body());
    const headers = {
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Date: new Date().toUTCString(),
      Connection: 'close',
      ...error.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#pool.onRejection({ requestId, client: socket.remoteAddress, status: error.status });
    socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
    this.#closeGently();
  }

  /**
   * Ends the connection, and discards for a while what the client still sends: closing a socket with unread bytes resets
   * the connection, and the client would lose the response.
   */
  #closeGently(): void {
    const socket = this.#socket;
    this.#isClosing = true;
    this.forget();
    if (socket.writable) socket.end();
    // Nothing that still comes is parsed: HTTP would look at every chunk.
    socket.removeAllListeners('data').on('data', () => {});
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    if (socket.readableEnded) socket.once('finish', () => socket.destroy());
    else socket.once('end', () => socket.destroy()).resume();
  }
}

/** Whether the client keeps the connection in the usual way, and waits for nothing but the response. */
function isOrdinary({ httpVersion, headers: { connection, expect } }: IncomingMessage): boolean {
  return (
    httpVersion === '1.1' && expect === undefined && (connection === undefined || /^keep-alive$/i.test(connection))
  );
}

/** Whether a request has come to its end. Node does not note the end of one without a body that was answered before. */
function isWhole({ complete, readableEnded }: IncomingMessage): boolean {
  return complete || readableEnded;
}

/** Whether a body is so short that reading it to its end is worth the connection, although its request has been answered. */
function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES;
}

/** The connections whose responses have ended and not left, with the bytes that wait for their clients. */
export class UnsentBytes {
  readonly #max: number;
  readonly #bytes = new Map<Socket, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Where all together would be too many, the connections are closed that have not read for longest. */
  add(socket: Socket): void {
    this.delete(socket);
    this.#bytes.set(socket, socket.writableLength);
    this.#total += socket.writableLength;
    for (const oldest of this.#bytes.keys()) {
      if (this.#total <= this.#max || oldest === socket) return;
      this.delete(oldest);
      oldest.destroy();
    }
  }

  delete(socket: Socket): void {
    this.#total -= this.#bytes.get(socket) ?? 0;
    this.#bytes.delete(socket);
  }
}
