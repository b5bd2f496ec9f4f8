import { connect, type Socket } from 'node:net';
import { type ServiceErrorCode, service } from '@petstore/types';
import { expect } from 'vitest';

/** A response as the server sent it. */
export interface WireResponse {
  status: number;
  /** Names are in lower case. */
  headers: Map<string, string>;
  body: string;
}

/** A connection that sends raw bytes. */
export interface Wire {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** The responses that have arrived. */
  responses(): WireResponse[];
  /** Resolves when this many responses have arrived, or the server has closed the connection. */
  until(count: number): Promise<WireResponse[]>;
  /** Resolves with all responses when the server has closed the connection. */
  ended(): Promise<WireResponse[]>;
}

/** Opens a connection. Without `reads` it reads nothing; with `isHead` it expects responses without bodies. */
export function openWire(origin: string, { reads = true, halfOpen = false, isHead = false } = {}): Wire {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: halfOpen });
  const unparsed = { chunks: [] as Buffer[], length: 0, needed: 0 };
  const responses: WireResponse[] = [];
  let isClosed = false;
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  if (reads) {
    socket.on('data', (chunk: Buffer) => {
      unparsed.chunks.push(chunk);
      unparsed.length += chunk.length;
      // A large response comes in many chunks, which are concatenated once.
      if (unparsed.length < unparsed.needed) return;
      const { rest, needed } = takeResponses(Buffer.concat(unparsed.chunks), isHead, responses);
      Object.assign(unparsed, { chunks: [rest], length: rest.length, needed });
      notify();
    });
  } else {
    socket.pause();
  }
  // A reset ends the connection, too. Responses before it count.
  socket.on('error', () => {});
  const end = () => {
    isClosed = true;
    notify();
  };
  socket.on('end', end).on('close', end);
  const when = (condition: () => boolean) =>
    new Promise<WireResponse[]>((resolve) => {
      const check = () => {
        if (!condition()) return;
        watchers.delete(check);
        resolve(responses);
      };
      watchers.add(check);
      check();
    });
  return {
    socket,
    send: (text) => void socket.write(text),
    responses: () => responses,
    until: (count) => when(() => isClosed || responses.length >= count),
    ended: () => when(() => isClosed),
  };
}

/** Sends raw bytes over a new connection, and returns the response when the server closes the connection. */
export function raw(origin: string, bytes: string | Uint8Array): Promise<WireResponse> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(parseWhole(text)));
    socket.write(bytes);
  });
}

/** The bytes of a request with `Connection: close`. */
export function request(
  line: string,
  headers: Record<string, string> = {},
  body: string | Uint8Array = '',
): Uint8Array {
  const all = {
    Host: 'localhost',
    Connection: 'close',
    ...(body.length > 0 && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join('')}\r\n`), Buffer.from(body)]);
}

/** Expects a response in the Error shape, with the status of its code by default. */
export function expectError(response: WireResponse, code: ServiceErrorCode, status: number = service.statuses[code]) {
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
  expect(JSON.parse(response.body)).toEqual({ code, message: expect.stringMatching(/./), status });
  expect(response.headers.get('x-request-id')).toBeTruthy();
}

/** Moves the complete responses to `responses`; returns the remaining bytes, and the minimum length of the next response. */
function takeResponses(bytes: Buffer, isHead: boolean, responses: WireResponse[]): { rest: Buffer; needed: number } {
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) return { rest: bytes.subarray(at), needed: 0 };
    const { status, headers } = parseHead(bytes.toString('latin1', at, end));
    const length = isHead ? 0 : Number(headers.get('content-length') ?? 0);
    const start = end + 4;
    if (bytes.length < start + length) return { rest: bytes.subarray(at), needed: start + length - at };
    if (status >= 200) responses.push({ status, headers, body: bytes.toString('utf8', start, start + length) });
    at = start + length;
  }
}

/** The only response on a connection. Its body is everything up to the end. */
function parseWhole(text: string): WireResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { ...parseHead(head), body: rest.join('\r\n\r\n') };
}

function parseHead(text: string): Pick<WireResponse, 'status' | 'headers'> {
  const [line = '', ...lines] = text.split('\r\n');
  const headers = lines.map(
    (header) =>
      [header.slice(0, header.indexOf(':')).toLowerCase(), header.slice(header.indexOf(':') + 1).trim()] as const,
  );
  return { status: Number(line.split(' ')[1]), headers: new Map(headers) };
}
