import type { Socket } from 'node:net';

/** The connections with an unflushed response, and the bytes of these responses in memory. */
export class UnsentBytes {
  readonly #max: number;
  readonly #bytes = new Map<Socket, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a connection. While the sum exceeds the limit, closes the connection whose client has not read for longest. */
  add(socket: Socket): void {
    // A connection that is added again moves to the end, so the first connection is the one that has not been read for longest.
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
