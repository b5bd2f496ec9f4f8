import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LINGER_MS, MAX_WAITING_PER_CONNECTION, MAX_WAITING_REQUESTS } from '../limits.ts';
import { breakBody } from './body.ts';
import { peerAddress } from './client-address.ts';
import type { HttpError } from './http-error.ts';
import type { Rejection } from './observe.ts';
import { allowsWholeResponse, asksForUpgrade, hasShortBody, isComplete } from './request-checks.ts';
import { newRequestId } from './request-context.ts';
import { WholeResponse, wholeText } from './response.ts';
import { jsonContent } from './response-content.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

/** The state that the connections of a server share. */
export interface SharedState {
  readonly app: RequestListener;
  readonly requestTimeout: number;
  readonly responseTimeout: number;
  /** The header lines that keep a connection open. */
  readonly keepAlive: string;
  readonly unsent: UnsentBytes;
  readonly connections: Map<Socket, Connection>;
  /** The number of waiting pipelined requests, on all connections. */
  waiting: number;
  draining: boolean;
  onRejection(rejection: Rejection): void;
}

/**
 * One connection. It processes one request at a time, in order of arrival. A pipelined request waits until the previous response is
 * flushed, and reading pauses while a request or an unflushed response waits. Malformed bytes get their error response after all
 * earlier responses.
 */
export class Connection {
  readonly #socket: Socket;
  /** The socket's real `setTimeout`. Node calls a stub instead. */
  readonly #setSocketTimeout: Socket['setTimeout'];
  readonly #shared: SharedState;
  /** The response that is being processed or flushed. */
  #current: ServerResponse | undefined;
  /** The pipelined requests that wait for the current response, in order. */
  readonly #waiting: [IncomingMessage, ServerResponse][] = [];
  /** The request that was parsed last. Its body may still be arriving. */
  #latest: IncomingMessage | undefined;
  #requestCount = 0;
  /** The error that ends the connection, once all earlier requests have their responses. */
  #error: HttpError | undefined;
  /** The request whose time ended while reading was paused, with its error. `request` is unset until its head arrives. */
  #overdue: { error: HttpError; request: IncomingMessage | undefined; hasTimer: boolean } | undefined;
  /** Whether the final response of this connection was written, so later input is discarded. */
  #isClosing = false;
  /** The time when `closeIfIdle` first found the connection idle, with the requests and the bytes read until then. */
  #idle = { since: 0, requests: 0, bytes: 0, wasExtended: false };

  constructor(socket: Socket, shared: SharedState) {
    this.#socket = socket;
    this.#shared = shared;
    // Node resumes the socket at several events, such as the end of a body. While reading is paused, this has no effect.
    const resume = socket.resume.bind(socket);
    socket.resume = () => (this.#pausesReading ? socket : resume());
    // Node handles errors, except after CONNECT: an unhandled reset would end the process.
    socket.on('error', () => {});
    // Node would restart a timer for every request. `closeIfIdle` finds idle connections at a lower cost.
    this.#setSocketTimeout = socket.setTimeout.bind(socket);
    socket.setTimeout = () => socket;
    // Node calls `destroySoon` after a response with `Connection: close`, and after the last one to a client that has half-closed.
    socket.destroySoon = () => {
      if (!this.#owesError()) this.#closeGently();
    };
  }

  /** The number of requests without a complete response. */
  get openRequests(): number {
    return this.#waiting.length + (this.#current ? 1 : 0);
  }

  /** Whether a head may have arrived in part: bytes were read, but all requests have arrived completely and have responses. */
  get mayHavePartialHead(): boolean {
    const isBetweenRequests = this.openRequests === 0 && (!this.#latest || isComplete(this.#latest));
    return isBetweenRequests && !this.#isClosing && !this.#socket.destroyed && this.#socket.bytesRead > 0;
  }

  /** Whether the current response has ended, but is not flushed yet. */
  get isFlushing(): boolean {
    return this.#current?.writableEnded ?? false;
  }

  /** Whether reading is paused: requests wait, or the socket's timeout runs, because input would restart the timeout. */
  get #pausesReading(): boolean {
    return !this.#isClosing && (this.#waiting.length > 0 || Boolean(this.#socket.timeout));
  }

  /** Starts a request, or queues it if an earlier request has no complete response yet. */
  accept(request: IncomingMessage, response: ServerResponse): void {
    // No response follows a response with `Connection: close` (RFC 9112 9.6), or an error that ends the connection.
    if (this.#isClosing || this.#error) return;
    this.#latest = request;
    this.#requestCount++;
    if (this.#overdue) this.#overdue.request ??= request;
    if (!this.#current) return this.#start(request, response);
    this.#waiting.push([request, response]);
    this.#shared.waiting++;
    this.#socket.pause();
    // Each connection may have a few waiting requests, even if other connections have used up the bound for all.
    if (this.#waiting.length > MAX_WAITING_PER_CONNECTION && this.#shared.waiting > MAX_WAITING_REQUESTS) {
      this.#socket.destroy();
    }
  }

  /**
   * Responds with an error to a request that has not arrived in time. If reading was paused, the request could not arrive, so its
   * time begins again when reading continues.
   */
  expire(error: HttpError): void {
    if (!this.#pausesReading) return this.fail(error);
    const request = this.#latest && !isComplete(this.#latest) ? this.#latest : undefined;
    this.#overdue = { error, request, hasTimer: false };
  }

  /** Responds with an error, in order, to malformed bytes or to a request that will stay incomplete. */
  fail(error: HttpError): void {
    if (this.#error || this.#isClosing) return;
    this.#error = error;
    if (!this.#latest || isComplete(this.#latest)) {
      if (!this.#current) this.#writeError(error);
      return;
    }
    const response = this.#waiting.at(-1)?.[1] ?? this.#current;
    // The latest request already has its response, though its body is incomplete, so no response can report the error.
    if (!response) return this.#closeGently();
    if (!response.headersSent) response.setHeader('Connection', 'close');
    breakBody(this.#latest, error);
  }

  /**
   * Sets `Connection: close` on the current response, unless requests wait: they still need the connection. Closes the connection at
   * once if it only receives the rest of a body whose request already has its response.
   */
  announceClose(): void {
    if (this.#current && !this.#current.headersSent && this.#waiting.length === 0) {
      this.#current.setHeader('Connection', 'close');
    }
    if (this.openRequests === 0 && this.#latest && !isComplete(this.#latest) && !this.#isClosing) this.#closeGently();
  }

  /**
   * Closes the connection if it has been idle for this time after a request. New bytes may begin a head, so they extend the time, but
   * only once: they may be blank lines.
   */
  closeIfIdle(timeoutMs: number): void {
    if (this.#requestCount === 0 || this.openRequests > 0 || this.#isClosing) return;
    const [now, bytes] = [performance.now(), this.#socket.bytesRead];
    const requests = this.#requestCount;
    if (requests !== this.#idle.requests) this.#idle = { since: now, requests, bytes, wasExtended: false };
    else if (bytes !== this.#idle.bytes && !this.#idle.wasExtended)
      this.#idle = { since: now, requests, bytes, wasExtended: true };
    else if (now - this.#idle.since >= timeoutMs) this.#socket.destroy();
  }

  /** Drops the waiting requests, which get no response. */
  dropWaiting(): void {
    this.#shared.waiting -= this.#waiting.length;
    this.#waiting.length = 0;
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#current = response;
    response.on('prefinish', this.#onEnd).on('close', this.#onClose).on('pipe', this.#limitProgress);
    if (response instanceof WholeResponse && allowsWholeResponse(request)) response.keepAlive = this.#shared.keepAlive;
    const isLast = (this.#shared.draining && this.#waiting.length === 0) || asksForUpgrade(request);
    if (isLast) response.setHeader('Connection', 'close');
    else if (!hasShortBody(request)) closeUnlessComplete(request, response);
    this.#shared.app(request, response);
  }

  /** Limits the time in which no byte is sent. Also called when a stream, which may never end, is piped to the response. */
  readonly #limitProgress = (): void => {
    this.#setSocketTimeout(this.#shared.responseTimeout);
    this.#socket.pause();
  };

  /** Called when the whole response was passed to the socket, which may not have flushed it yet. */
  readonly #onEnd = (): void => {
    if (this.#socket.writableLength === 0) return;
    // The limit applies until the response is flushed.
    this.#limitProgress();
    this.#shared.unsent.add(this.#socket);
  };

  /** Called when the response is flushed, or the connection is closed. */
  readonly #onClose = (): void => {
    const request = this.#current?.req;
    this.#current = undefined;
    // An idle connection must not keep the memory of its last body.
    if (request && request === this.#latest && isComplete(request)) this.#latest = undefined;
    this.#shared.unsent.delete(this.#socket);
    if (this.#isClosing || this.#socket.destroyed) return;
    const wasPaused = this.#pausesReading;
    if (this.#socket.timeout) this.#setSocketTimeout(0);
    if (request && !isComplete(request) && !hasShortBody(request)) return this.#closeGently();
    const next = this.#waiting.shift();
    if (next) {
      this.#shared.waiting--;
      this.#start(...next);
    } else if (this.#error) {
      if (!this.#latest || isComplete(this.#latest)) this.#writeError(this.#error);
      else this.#closeGently();
    }
    if (wasPaused && !this.#pausesReading) this.#resume();
  };

  /** Continues reading. Node limits the time of a request only once, so this limits the time of an overdue request. */
  #resume(): void {
    this.#socket.resume();
    const overdue = this.#overdue;
    if (!overdue || overdue.hasTimer) return;
    overdue.hasTimer = true;
    const timer = setTimeout(() => {
      // Another request may be overdue by now.
      if (this.#overdue === overdue) this.#overdue = undefined;
      if (!overdue.request || !isComplete(overdue.request)) this.fail(overdue.error);
    }, this.#shared.requestTimeout);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  /** Whether an error response still follows the current one: then Node called `destroySoon` only because the client has half-closed. */
  #owesError(): boolean {
    const response = this.#current;
    return this.#error !== undefined && response?.shouldKeepAlive === true && !response.hasHeader('Connection');
  }

  /** Writes an error response directly to the socket, because Node has created no response, and closes the connection. */
  #writeError(error: HttpError): void {
    const socket = this.#socket;
    if (!socket.writable) return void socket.destroy();
    const requestId = newRequestId();
    this.#shared.onRejection({ requestId, client: peerAddress(socket), status: error.status });
    const context = { requestId, operation: undefined };
    const headers = Object.entries(error.headers).flat();
    socket.write(wholeText('Connection: close\r\n', context, error.status, headers, jsonContent(error.body())));
    this.#closeGently();
  }

  /**
   * Ends the connection, and discards further input for a while. Closing a socket with unread bytes would reset the connection, so
   * the client could lose the response.
   */
  #closeGently(): void {
    const socket = this.#socket;
    this.#isClosing = true;
    this.dropWaiting();
    if (socket.writable) socket.end();
    // Node's parser gets no more input.
    socket.removeAllListeners('data').on('data', () => {});
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    if (socket.readableEnded) socket.once('finish', () => socket.destroy());
    else socket.once('end', () => socket.destroy()).resume();
  }
}

/** If the request is still incomplete when the head is written, the head announces the close, and `#onClose` closes the connection. */
function closeUnlessComplete(request: IncomingMessage, response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    response.shouldKeepAlive &&= isComplete(request);
    return writeHead(...args);
  };
}
