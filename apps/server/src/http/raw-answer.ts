import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newRequestId } from './exchange.ts';
import type { Failure } from './failure.ts';

/** Answers on the bare socket what never became a request, and ends the connection. */
export function answerRaw(socket: Duplex, failure: Failure): void {
  if (!socket.writable) return void socket.destroy();
  const body = JSON.stringify(failure.body());
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': newRequestId(),
    Date: new Date().toUTCString(),
    Connection: 'close',
    ...failure.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${lines.join('')}\r\n${body}`, () => {
    socket.destroy();
  });
}
