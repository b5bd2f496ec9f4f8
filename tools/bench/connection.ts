// The connections of the load. They read only the status and the length of a response, so that they
// cost less than any server.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const successes = new Set(['200', '201']);
const contentLength = /\ncontent-length: *(\d+)/i;

/** A keep-alive connection of the load, which exchanges one request and response at a time. */
export class Connection {
  readonly opened: Promise<unknown>;
  readonly #socket: Socket;
  /** The bytes of the response that have not arrived yet. 0 before a response. */
  #missing = 0;
  /** Resolves what `exchange` returned. */
  #responded = () => {};

  constructor(port: number) {
    // All pieces are read into the same memory, which costs less than the events of a stream.
    const buffer = Buffer.alloc(2 ** 16);
    const callback = (length: number) => this.#read(buffer.subarray(0, length));
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer, callback },
    });
    this.opened = once(this.#socket, 'connect');
    this.#socket.on('end', () => {
      throw new Error('The server closed a connection.');
    });
  }

  /** Resolves when the response has arrived. */
  exchange(request: Buffer): Promise<void> {
    this.#socket.write(request);
    return new Promise((resolve) => {
      this.#responded = resolve;
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): boolean {
    if (this.#missing === 0) this.#missing = responseLength(bytes);
    this.#missing -= bytes.length;
    if (this.#missing === 0) this.#responded();
    return true;
  }
}

/**
 * The length of a response. Its first piece has the whole head, because servers write that at once.
 */
export function responseLength(piece: Buffer): number {
  const headLength = piece.indexOf('\r\n\r\n') + 4;
  const head = piece.toString('latin1', 0, headLength);
  const status = head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
  const bodyLength = contentLength.exec(head)?.[1];
  if (!successes.has(status) || bodyLength === undefined)
    throw new Error(`The load got a response that it does not expect:\n${piece}`);
  return headLength + Number(bodyLength);
}
