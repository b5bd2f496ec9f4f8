import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { Response } from 'express';
import { type Operation, type OperationId, operations, service } from '../old.ts';
import { decode } from '../store/document.ts';
import type { RequestContext } from './request-context.ts';
import type { Content, TextContent } from './response-content.ts';

// An `import` would read all members of `node:http`, one of which loads fetch: that takes a tenth of the startup time.
const http = process.getBuiltinModule('node:http');

/** Alternating names and values, the form of headers that Node writes fastest. */
export type Headers = readonly string[];

/** Writes a response and ends it. Rejects if its stream fails. */
export type WriteResponse = (
  response: ServerResponse,
  context: RequestContext,
  status: number,
  headers: Headers,
  content?: Content,
) => void | Promise<void>;

export const writeResponse: WriteResponse = (response, context, status, headers, content): void | Promise<void> => {
  if (content && 'text' in content && status < 300 && canBeWhole(response)) {
    response.statusCode = status;
    response.send(wholeText(response.keepAlive, context, status, headers, content), content.encoding);
    return;
  }
  const head = [...responseHeaders(context), ...headers];
  if (content === undefined) {
    if (status !== 204 && status !== 304) head.push('Content-Length', '0');
    response.writeHead(status, head).end();
  } else if ('stream' in content) {
    head.push('Content-Type', content.type);
    return writeStream(response.writeHead(status, head), context, content.stream);
  } else {
    head.push('Content-Type', content.type ?? JSON_TYPE, 'Content-Length', String(content.bytes));
    response.writeHead(status, head).end(content.text, content.encoding);
  }
};

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * A response that can send a prepared head and body in one write, where Node would build the head header by header. Only
 * the servers of listen.ts create these responses. In any other server, Node writes every head.
 */
export class WholeResponse extends http.ServerResponse {
  /** The header lines that keep the connection open; undefined if Node has to write the head. */
  keepAlive: string | undefined = undefined;
  isSent = false;

  /** Sends head and body, and ends the response. Returns whether the bytes are flushed, so that the buffer can be reused. */
  send(data: string | Uint8Array, encoding?: 'utf8' | 'latin1'): boolean {
    const { socket } = this;
    this.isSent = true;
    this.finished = true;
    if (!socket?.writable) return false;
    socket.write(data, encoding);
    const isFlushed = socket.writableLength === 0;
    this.emit('prefinish');
    if (!isFlushed) socket.write('', (error) => error ?? finish(this));
    else if (this.req.readableEnded) finish(this);
    // The end of the request's body may not be parsed yet, so this waits for the next tick.
    else process.nextTick(finish, this);
    return isFlushed;
  }
}

/** Lets Node continue with the connection. */
function finish(response: WholeResponse): void {
  response.emit('finish');
}

// Node's accessor does not see what `send` writes, so this one replaces it.
const ofNode = Object.getOwnPropertyDescriptor(http.OutgoingMessage.prototype, 'headersSent')?.get;
Object.defineProperty(WholeResponse.prototype, 'headersSent', {
  get(this: WholeResponse): boolean {
    return this.isSent || ofNode?.call(this);
  },
});

/** Whether `wholeText` can replace the head that Node would write: no header is set yet, and the connection stays open. */
export function canBeWhole(response: ServerResponse): response is WholeResponse & { keepAlive: string } {
  return (
    response instanceof WholeResponse && response.keepAlive !== undefined && response.getHeaderNames().length === 0
  );
}

/**
 * The text of a response, head and body, as Node would write it, but without Node's check of every header. No header needs it: each
 * is a constant, made by this server, or was checked when the request was accepted. `connection` is the lines about the connection.
 */
export function wholeText(
  connection: string,
  { requestId, operation }: Pick<RequestContext, 'requestId' | 'operation'>,
  status: number,
  headers: Headers,
  { type = JSON_TYPE, bytes, text }: TextContent,
): string {
  const firstLines = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nX-Request-Id: ${requestId}\r\n${fixedLines.get(operation)}`;
  const lastLines = `Content-Type: ${type}\r\nContent-Length: ${bytes}\r\nDate: ${dateText()}\r\n${connection}\r\n`;
  return firstLines + linesOf(headers) + lastLines + text;
}

let [dateSeconds, date] = [0, ''];

/** The current `Date` header, which changes once a second. */
export function dateText(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== dateSeconds) [dateSeconds, date] = [now, new Date(1000 * now).toUTCString()];
  return date;
}

/** Pipes a stream. If it fails, the connection is closed, so the client sees that the response is incomplete. */
async function writeStream(response: ServerResponse, context: RequestContext, stream: ReadableStream<Uint8Array>) {
  if (context.method === 'HEAD' || response.destroyed) {
    response.end();
    return stream.cancel();
  }
  await pipeline(Readable.fromWeb(stream as WebStream), response).catch((error: NodeJS.ErrnoException) => {
    // A client may disconnect at any time.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** Writes a response through Express, where the validator checks it. */
export const writeValidatedResponse: WriteResponse = (
  response,
  context,
  status,
  headers,
  content,
): void | Promise<void> => {
  const validated = response as Response;
  validated.status(status);
  for (let i = 0; i < headers.length; i += 2) validated.append(headers[i] ?? '', headers[i + 1] ?? '');
  if (content === undefined) validated.end();
  else if ('stream' in content) return writeStream(validated.type(content.type), context, content.stream);
  else {
    const { type = JSON_TYPE, text } = content;
    validated.type(type);
    if (/[/+]json\b/.test(type)) validated.json(decode(content));
    else validated.send(text);
  }
};

/** The headers of every response to a request: the request's identifier, and the fixed headers of its operation. */
export function responseHeaders({ requestId, operation }: RequestContext): Headers {
  return ['X-Request-Id', requestId, ...(fixedHeaders.get(operation) ?? [])];
}

const NO_SNIFF = ['X-Content-Type-Options', 'nosniff'];

/** The headers of every response of an operation: `nosniff`, and its deprecation. */
const fixedHeaders = new Map<Operation | undefined, Headers>([
  [undefined, NO_SNIFF],
  ...Object.values<Operation>(operations).map(
    (operation) => [operation, operation.deprecated ? [...NO_SNIFF, ...deprecation(operation)] : NO_SNIFF] as const,
  ),
]);
const fixedLines = new Map([...fixedHeaders].map(([operation, headers]) => [operation, linesOf(headers)]));

function linesOf(headers: Headers): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

function deprecation({ deprecatedSince, sunset, successor }: Operation): string[] {
  return [
    ...(deprecatedSince ? ['Deprecation', `@${Date.parse(deprecatedSince) / 1000}`] : []),
    ...(sunset ? ['Sunset', new Date(sunset).toUTCString()] : []),
    ...(successor
      ? ['Link', `<${service.basePath}${operations[successor as OperationId].path}>; rel="successor-version"`]
      : []),
  ];
}
