import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { DRAIN_SWEEP_MS } from '../limits.ts';
import type { SharedState } from './connection.ts';

export interface Draining {
  /** Closes each connection after its next response, so that clients reconnect to another server. */
  announceClose(): void;
  /**
   * Stops accepting connections, and closes idle connections. The promise resolves when all requests have their responses, or after
   * the timeout, which aborts the rest. Its value is the number of aborted requests.
   */
  drain(timeoutMs: number): Promise<number>;
}

/** Emitted when the last connection has ended. */
export const NO_CONNECTIONS = Symbol('no connections');

/** The functions that end the connections of a server. */
export function drainingOf(server: Server, shared: SharedState): Draining {
  const { connections } = shared;
  return { announceClose, drain };

  function announceClose(): void {
    shared.draining = true;
    for (const connection of connections.values()) connection.announceClose();
  }

  async function drain(timeoutMs: number): Promise<number> {
    const closed =
      server.listening || connections.size > 0 ? once(server, server.listening ? 'close' : NO_CONNECTIONS) : undefined;
    // The HTTP server's own `close` would destroy idle connections at once, though a request may be on its way.
    NetServer.prototype.close.call(server);
    announceClose();
    const sweep = setInterval(() => {
      // Node counts a connection as idle before its response is flushed, so this waits until all responses are flushed.
      if (![...connections.values()].some(({ isFlushing }) => isFlushing)) server.closeIdleConnections();
      // Node 22 does not count a connection as idle before its first bytes arrive, so this closes such connections itself.
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    }, DRAIN_SWEEP_MS);
    let aborted = 0;
    const deadline = setTimeout(() => {
      for (const { openRequests } of connections.values()) aborted += openRequests;
      // After this, each remaining connection has an open request, or a head that has arrived in part.
      server.closeIdleConnections();
      for (const [socket, { mayHavePartialHead }] of connections) {
        if (mayHavePartialHead) aborted++;
        socket.destroy();
      }
    }, timeoutMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
    // Stops Node's checks of timeouts, which would keep the app in memory.
    server.close();
    return aborted;
  }
}
