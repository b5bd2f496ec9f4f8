import { connect } from 'node:net';
import { type ErrorCode, service } from '@petstore/types';
import { expect } from 'vitest';

export interface RawAnswer {
  status: number;
  /** By lower-case name. */
  headers: Map<string, string>;
  body: string;
}

/** Sends bytes as they are over a connection of their own, and reads what comes until the server ends it. */
export function raw(origin: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(parse(text)));
    socket.write(bytes);
  });
}

/** The bytes of a request that asks for the connection to be closed behind its answer. */
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

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '').split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
  );
  return { status: Number(status.split(' ')[1]), headers: new Map(headers), body: rest.join('\r\n\r\n') };
}

/** Expects a response in the Error shape, with the status of its code by default. */
export function expectError(answer: RawAnswer, code: ErrorCode, status: number = service.statuses[code]) {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
  expect(JSON.parse(answer.body)).toEqual({ code, message: expect.stringMatching(/./), status });
  expect(answer.headers.get('x-request-id')).toBeTruthy();
}
