import { OutgoingMessage, ServerResponse } from './node-http.ts';

/**
 * A response that can send a prepared head and body in one write, where Node would build the head header by header. Only
 * the servers of listen.ts create these responses. In any other server, Node writes every head.
 */
export class WholeResponse extends ServerResponse {
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
const ofNode = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, 'headersSent')?.get;
Object.defineProperty(WholeResponse.prototype, 'headersSent', {
  get(this: WholeResponse): boolean {
    return this.isSent || ofNode?.call(this);
  },
});
