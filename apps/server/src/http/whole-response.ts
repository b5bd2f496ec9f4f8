import { OutgoingMessage, ServerResponse } from './node-http.ts';

/**
 * A response that can be sent with its head in one write. Node makes every other head anew, header by header. Only a server
 * of `listen` makes these; where another server runs the app, Node writes every head.
 */
export class WholeResponse extends ServerResponse {
  /** The lines of a head that keeps the connection; none where the request is unusual, and the head has to be Node's. */
  keepAlive: string | undefined = undefined;
  isSent = false;
  isFinished = false;

  /** Sends head and body, and ends the response. True where the system has taken all bytes, so that they are free again. */
  send(data: string | Uint8Array, encoding?: 'utf8' | 'latin1'): boolean {
    const { socket } = this;
    this.isSent = true;
    this.finished = true;
    if (!socket?.writable) return false;
    socket.write(data, encoding);
    const isTaken = socket.writableLength === 0;
    this.emit('prefinish');
    if (!isTaken) socket.write('', (error) => error ?? finish(this));
    else if (this.req.readableEnded) finish(this);
    // Later, because the end of the body may not be parsed yet.
    else process.nextTick(finish, this);
    return isTaken;
  }
}

/** Node goes on with the connection then. */
function finish(response: WholeResponse): void {
  response.isFinished = true;
  response.emit('finish');
}

// Node's own accessors know only of what it has written, and Node 22 takes what was cut for finished.
for (const [name, own] of Object.entries({ headersSent: 'isSent', writableFinished: 'isFinished' } as const)) {
  const ofNode = Object.getOwnPropertyDescriptor(OutgoingMessage.prototype, name)?.get;
  const get = function (this: WholeResponse): boolean {
    return this.isSent ? this[own] : ofNode?.call(this);
  };
  Object.defineProperty(WholeResponse.prototype, name, { get });
}
