import type { Socket } from 'node:net';

/** The connections with an unflushed response, and the bytes of these responses in memory. */
export class UnsentBytes {
  readonly #max: number;
  readonly #bytes = new Map<Socket, number>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a connection once its response has ended. While the sum exceeds the limit, closes the other connection that waits longest. */
  add(socket: Socket): void {
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
