import { connect, type Socket } from 'node:net';
import { apiKey } from '@petstore/testing/server';
import { type ServiceErrorCode, service } from '@petstore/types';
import { expect, onTestFinished } from 'vitest';

/** A response as the server sent it. */
export interface WireResponse {
  status: number;
  /** Names are in lower case. */
  headers: Map<string, string>;
  body: string;
  /** The bytes of the response, without its date and the identifier that the server made for it. */
  bytes: string;
}

/** A connection that sends raw bytes. */
export interface Wire {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** Resolves when this many responses have arrived, or the server has closed the connection. */
  until(count: number): Promise<WireResponse[]>;
  /** Resolves with all responses when the server has closed the connection. */
  ended(): Promise<WireResponse[]>;
}

export const bearer = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });

/** The headers of a valid request. */
export const key = bearer(apiKey);
export const json = { 'Content-Type': 'application/json' };

/** The lines of these headers, for requests that are written by hand. */
export const head = `Host: x\r\nAuthorization: Bearer ${apiKey}\r\n`;

/** The bytes of requests that keep the connection open. */
export const get = (path: string) => `GET ${path} HTTP/1.1\r\n${head}\r\n`;
export const postHead = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\n`;
export const post = (body: string) =>
  `${postHead}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
export const pet = (name: string) => JSON.stringify({ name, categoryId: 1 });

/** Opens a connection. Without `reads` it reads nothing; with `isHead` it expects responses without bodies. */
export function openWire(
  origin: string,
  { reads = true, halfOpen = false, isHead = false } = {},
): Wire {
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
    send: (bytes) => {
      socket.write(bytes);
    },
    until: (count) => when(() => isClosed || responses.length >= count),
    ended: () => when(() => isClosed),
  };
}

/** Opens a connection that ends with the running test. */
export function openForTest(origin: string, options?: Parameters<typeof openWire>[1]): Wire {
  const wire = openWire(origin, options);
  onTestFinished(() => {
    wire.socket.destroy();
  });
  return wire;
}

/** Sends bytes over a new connection, and returns the only response when the server closes the connection. */
export async function raw(origin: string, bytes: string | Uint8Array): Promise<WireResponse> {
  const wire = openWire(origin, {
    isHead: Buffer.from(bytes).subarray(0, 5).toString() === 'HEAD ',
  });
  wire.send(bytes);
  const responses = await wire.ended();
  wire.socket.destroy();
  expect(responses).toHaveLength(1);
  return responses[0] as WireResponse;
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
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`),
    Buffer.from(body),
  ]);
}

/** Expects a response in the Error shape, with the status of its code by default. Returns its message. */
export function expectError(
  response: WireResponse | undefined,
  code: ServiceErrorCode,
  status: number = service.statuses[code],
): string {
  const type = 'application/json; charset=utf-8';
  expect([response?.status, response?.headers.get('content-type')]).toEqual([status, type]);
  const error = JSON.parse(response?.body ?? '');
  expect(error).toEqual({ code, message: expect.stringMatching(/./), status });
  expect(response?.headers.get('x-request-id')).toBeTruthy();
  return error.message;
}

/** The date, and an identifier that the server has made. */
const CHANGING = /^(Date:|X-Request-Id: [\da-f]{20}-[\da-z]+$)/i;

/** Moves the complete responses to `responses`; returns the remaining bytes, and the minimum length of the next response. */
function takeResponses(
  bytes: Buffer,
  isHead: boolean,
  responses: WireResponse[],
): { rest: Buffer; needed: number } {
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end < 0) return { rest: bytes.subarray(at), needed: 0 };
    const [line = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(line.split(' ')[1]);
    const headers = new Map(
      lines.map((header) => {
        const colon = header.indexOf(':');
        return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()] as const;
      }),
    );
    const length = isHead ? 0 : Number(headers.get('content-length') ?? 0);
    const start = end + 4;
    if (bytes.length < start + length)
      return { rest: bytes.subarray(at), needed: start + length - at };
    const body = bytes.toString('utf8', start, start + length);
    const lasting = [line, ...lines.filter((header) => !CHANGING.test(header)), '', body];
    if (status >= 200) responses.push({ status, headers, body, bytes: lasting.join('\r\n') });
    at = start + length;
  }
}
