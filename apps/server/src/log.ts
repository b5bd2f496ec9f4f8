// The log on stdout: JSON lines, as pino writes them.
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import proxyAddress from 'proxy-addr';
import type { Exchange } from './exchange.ts';
import { probePaths } from './health.ts';
import { UnavailableError, UnknownOutcomeError } from './store/store.ts';

/** What the app reports. */
export type Log = Pick<ServerLog, 'info' | 'warn' | 'request' | 'rejected'>;

/** Whether an address belongs to a trusted proxy; `hop` counts from this server. */
export type TrustProxy = (address: string, hop: number) => boolean;

/** Lines wait until they have this many characters, or for this many milliseconds. Then they are written together. */
const MAX_BATCH_LENGTH = 2 ** 16;
const MAX_BATCH_MS = 20;

/** How long the end of the process waits for the last lines. */
const MAX_CLOSE_MS = 100;

/** How many characters wait while nothing can be written. Further lines are lost. */
export const MAX_UNWRITTEN = 2 ** 20;

// The numbers of pino's levels.
const INFO = 30;
const WARN = 40;
const ERROR = 50;

/** The log of a server process. If lines cannot be written, the server works on without them. */
export class ServerLog {
  readonly #level: number;
  readonly #trustProxy: TrustProxy | null;
  readonly #destination = pino.destination({ dest: 1, sync: false, maxLength: MAX_UNWRITTEN });
  readonly #origin = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  /** The operations that the store has refused in this outage, and how many requests. */
  readonly #refused = new Set<string>();
  #refusals = 0;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;

  constructor(level: string, trustProxy: TrustProxy | null) {
    this.#level = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
    this.#trustProxy = trustProxy;
    this.#destination.on('drop', (text: string) => {
      this.#lost += text.split('\n').length - 1;
    });
    // A full disk or a closed pipe: the destination keeps what waits, and tries again with the next line.
    this.#destination.on('error', ignore);
    // Once Node itself has opened it, a pipe that nobody reads blocks no thread, and with it the end of the process.
    process.stdout.on('error', ignore);
    // At the end of the process, pino would try for ever.
    process.prependListener('exit', () => this.#destination.destroy());
  }

  /** How many lines could not be written. */
  get lost(): number {
    return this.#lost;
  }

  info(message: string, fields: object = {}): void {
    this.#write(INFO, { ...fields, msg: message });
  }

  warn(message: string, fields: object = {}): void {
    this.#write(WARN, { ...fields, msg: message });
  }

  /** Writes the line of a request whose response has ended. */
  request(exchange: Exchange): void {
    if (probePaths.has(exchange.target.url)) return;
    const { error } = exchange;
    this.#noteOutage(exchange);
    const entry = entryOf(exchange, this.#clientOf(exchange));
    if (error === undefined) this.#write(INFO, entry);
    else if (isRefusal(error)) this.#write(WARN, { ...entry, error: error.message });
    else this.#write(ERROR, { ...entry, err: serialized(error) });
  }

  /** Writes the line of bytes that are no request. */
  rejected(requestId: string, status: number, client: string | undefined): void {
    this.#write(INFO, { requestId, client, status, ms: 0 });
  }

  /** Resolves when all is written, or cannot be. */
  async close(): Promise<void> {
    const drained = once(this.#destination, 'drain').catch(ignore);
    this.#flush();
    await Promise.race([drained, pause(MAX_CLOSE_MS)]);
  }

  /**
   * Writes a line when an outage of the store begins, and one when it ends: each refused request would log the same stack. It
   * ends when all operations that were refused have succeeded again.
   */
  #noteOutage({ error, operation, requestId, response }: Exchange): void {
    const id = operation?.id ?? '';
    if (isRefusal(error)) {
      if (this.#refused.size === 0) {
        this.#refusals = 0;
        const msg = 'The store refuses requests. Until it serves again, their lines have no stack.';
        this.#write(ERROR, { requestId, msg, err: serialized(error) });
      }
      this.#refused.add(id);
      this.#refusals++;
    } else if (response.statusCode < 400 && this.#refused.delete(id) && this.#refused.size === 0) {
      this.info('The store serves requests again.', { refused: this.#refusals });
    }
  }

  #clientOf({ request }: Exchange): string | undefined {
    if (this.#trustProxy) return proxyAddress(request, this.#trustProxy);
    return request.socket.remoteAddress;
  }

  #write(level: number, entry: object): void {
    if (level < this.#level) return;
    const json = JSON.stringify(entry);
    // One growing string: a list of lines to join takes longer.
    this.#waiting += `{"level":${level},"time":"${isoTime()}",${this.#origin},${json.slice(1)}\n`;
    if (this.#waiting.length >= MAX_BATCH_LENGTH) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), MAX_BATCH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#destination.write(this.#waiting);
    this.#waiting = '';
  }
}

function ignore(): void {}

/** Whether the store could not do what a request asked for. */
function isRefusal(error: unknown): error is Error {
  return error instanceof UnavailableError || error instanceof UnknownOutcomeError;
}

function entryOf(exchange: Exchange, client: string | undefined): object {
  const { request, response, target, caller } = exchange;
  const parent = traceParentOf(request.headers.traceparent);
  return {
    requestId: exchange.requestId,
    method: exchange.method,
    path: target.path,
    operation: exchange.operation?.id,
    key: caller,
    client,
    status: response.headersSent ? response.statusCode : 0,
    ms: Math.round(exchange.milliseconds * 1000) / 1000,
    traceId: parent?.traceId,
    parentId: parent?.parentId,
    aborted: response.writableFinished ? undefined : true,
  };
}

/** `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01` (W3C Trace Context) */
const TRACE_PARENT = /^00-[\da-f]{32}-[\da-f]{16}-.{2}$/;
const ZEROS = /^0+$/;

function traceParentOf(text: string | string[] | undefined) {
  if (typeof text !== 'string' || !TRACE_PARENT.test(text)) return undefined;
  const traceId = text.slice(3, 35);
  const parentId = text.slice(36, 52);
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? undefined : { traceId, parentId };
}

function serialized(error: unknown): unknown {
  return error instanceof Error ? pino.stdSerializers.err(error) : error;
}

let isoAt = 0;
let isoText = '';

/** The time as text, which the lines of a millisecond share. */
function isoTime(): string {
  const now = Date.now();
  if (now === isoAt) return isoText;
  isoAt = now;
  isoText = new Date(now).toISOString();
  return isoText;
}
