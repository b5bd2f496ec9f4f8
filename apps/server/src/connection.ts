// One connection, whose requests are served one after the other.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpError } from './errors.ts';
import { newRequestId } from './exchange.ts';
import type { Log } from './log.ts';
import { constantHeaders } from './send.ts';

/** So many requests of one connection wait at most; then it is not read. */
export const MAX_WAITING = 16;

/** The rest of what a client sends is read and forgotten for this time, so that the client gets the error. */
const FAREWELL_MS = 1000;

/**
 * `open`: requests are served. `draining`: the response that no request follows closes the connection. `ending`: the
 * connection ends after the responses that are due, and nothing that follows is read. `ended`: nothing is sent any more.
 */
type State = 'open' | 'draining' | 'ending' | 'ended';

/** Serves a request. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

export class Connection {
  readonly #socket: Socket;
  readonly #serve: Serve;
  readonly #log: Log | undefined;
  #state: State = 'open';
  /** The response that is being made. */
  #current: ServerResponse | undefined;
  /** The response to the last request that has begun to arrive. */
  #last: ServerResponse | undefined;
  #waiting: ServerResponse[] = [];
  /** The error that ends the connection. */
  #error: HttpError | undefined;
  readonly #onServed = () => this.#served();

  constructor(socket: Socket, serve: Serve, log: Log | undefined) {
    this.#socket = socket;
    this.#serve = serve;
    this.#log = log;
  }

  /** Whether no request is being served. */
  get isIdle(): boolean {
    return this.#current === undefined;
  }

  /** Serves a request when those before it have their responses. */
  accept(request: IncomingMessage, response: ServerResponse): void {
    // What follows a response that closes the connection could not be answered.
    if (this.#state === 'ending' || this.#state === 'ended' || !this.#socket.writable) return;
    this.#last = response;
    // Node drops bytes after an offer to upgrade, so the next ones could be misread.
    if (request.headers.upgrade !== undefined) {
      response.setHeader('Connection', 'close');
      this.#state = 'ending';
    }
    if (!this.#current) {
      this.#start(response);
      return;
    }
    this.#waiting.push(response);
    if (this.#waiting.length >= MAX_WAITING) this.#socket.pause();
  }

  /** Lets the next response that no request follows close the connection. */
  drain(): void {
    if (this.#state !== 'open') return;
    this.#state = 'draining';
    if (this.#current) this.#closeAfter(this.#current);
  }

  /** Ends the connection with an error, after the responses that come before. */
  fail(error: HttpError): void {
    if (this.#state === 'ending' || this.#state === 'ended') return;
    this.#state = 'ending';
    const last = this.#last;
    if (last === undefined || last.req.complete) this.#error = error;
    else this.#failIn(last, error);
    if (!this.#current) this.#end();
  }

  /** A fault within the body of a request takes the place of its response, because a request gets only one. */
  #failIn(response: ServerResponse, error: HttpError): void {
    if (response.headersSent) return;
    this.#error = error;
    if (this.#current === response) this.#current = undefined;
    else this.#waiting.pop();
  }

  #start(response: ServerResponse): void {
    this.#current = response;
    if (this.#state === 'draining') this.#closeAfter(response);
    response.on('close', this.#onServed);
    this.#serve(response.req, response);
  }

  #served(): void {
    this.#current = undefined;
    if (!this.#socket.writable) this.#waiting = [];
    const next = this.#waiting.shift();
    if (this.#waiting.length < MAX_WAITING && this.#socket.isPaused()) this.#socket.resume();
    if (next) this.#start(next);
    else if (this.#state === 'ending') this.#end();
  }

  #closeAfter(response: ServerResponse): void {
    if (this.#waiting.length === 0 && !response.headersSent)
      response.setHeader('Connection', 'close');
  }

  #end(): void {
    this.#state = 'ended';
    if (this.#error) this.#reject(this.#error);
    else this.#socket.end();
  }

  /** Sends an error where Node has no response for it. */
  #reject(error: HttpError): void {
    const socket = this.#socket;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = newRequestId();
    this.#log?.rejected(requestId, error.status, socket.remoteAddress);
    socket.end(bytesOf(error, requestId));
    socket.resume();
    setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
  }
}

/** The bytes of a response with an error that closes the connection. */
function bytesOf(error: HttpError, requestId: string): string {
  const { status, json } = error;
  // Imported, node:http would make the start longer: see listen.ts.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const headers = ['X-Request-Id', requestId, ...constantHeaders()];
  for (const [name, value] of Object.entries(error.headers))
    if (name !== 'Connection') headers.push(name, value);
  headers.push('Connection', 'close', 'Content-Type', 'application/json; charset=utf-8');
  headers.push('Content-Length', String(Buffer.byteLength(json)));
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return `${head}\r\n${json}`;
}
