import { OutgoingMessage, ServerResponse } from './node-http.ts';

/**
 * A response that can send a prepared head and body in one write, where Node would build the head header by header. Only
 * servers of `listen` create these responses. In any other server, Node writes every head.
 */
export class WholeResponse extends ServerResponse {
  /** The header lines that keep the connection open; undefined if Node has to write the head. */
  keepAlive: string | undefined = undefined;
  isSent = false;
  isFinished = false;

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
  response.isFinished = true;
  response.emit('finish');
}

// Node's accessors do not see what `send` writes, and Node 22 reports aborted responses as finished, so these accessors replace
// them.
for (const [name, field] of Object.entries({ headersSent: 'isSent', writableFinished: 'isFinished' } as const)) {
  const ofNode = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, name)?.get;
  const get = function (this: WholeResponse): boolean {
    return this.isSent ? this[field] : ofNode?.call(this);
  };
  Object.defineProperty(WholeResponse.prototype, name, { get });
}
