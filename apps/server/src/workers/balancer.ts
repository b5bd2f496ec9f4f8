import type { Socket } from 'node:net';
import type { PortName } from './worker-process.ts';

interface Connection {
  readonly socket: Socket;
  readonly port: PortName;
}

/** A process that serves connections. */
export interface Backend {
  /** Sends it a connection, which it must accept. */
  sendConnection(id: number, port: PortName, socket: Socket): void;
  /** Asks it to confirm that it has received everything up to this connection. */
  sendSync(id: number): void;
}

/** The connections of a backend. */
interface Load {
  /** Connections that were sent and not accepted yet, by their id, in order. */
  readonly sent: Map<number, Connection & { at: number }>;
  /** The number of accepted connections. */
  readonly open: Record<PortName, number>;
}

/** A backend that has not accepted a connection for this long gets no other one while another backend can. */
const STALLED_MS = 1_000;

/**
 * Distributes connections over processes, each to the one with the fewest. This process keeps a connection open until it was
 * accepted: if the backend dies before, another one gets it, and the client notices nothing.
 */
export class ConnectionBalancer {
  readonly #maxConnections: number;
  readonly #loads = new Map<Backend, Load>();
  /** Those that get connections. The one that got the last connection comes last. */
  readonly #active = new Set<Backend>();
  /** Connections for which there is no backend now. */
  readonly #waiting: Connection[] = [];
  readonly #open: Record<PortName, number> = { api: 0, admin: 0 };
  #lastId = 0;

  /** `maxConnections` bounds the connections of each port. */
  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  /** Sends a connection to a backend, or closes it if there are too many. */
  distribute(port: PortName, socket: Socket): void {
    // Nothing is read here: the process that gets the connection sees its errors.
    socket.on('error', () => {});
    if (this.#open[port] >= this.#maxConnections) return void socket.destroy();
    this.#open[port]++;
    this.#assign({ port, socket });
  }

  /** Gives the backend connections from now on. */
  add(backend: Backend): void {
    this.#loads.set(backend, { sent: new Map(), open: { api: 0, admin: 0 } });
    this.#active.add(backend);
    for (const connection of this.#waiting.splice(0)) this.#assign(connection);
  }

  /** Gives the backend no more connections. */
  retire(backend: Backend): void {
    this.#active.delete(backend);
  }

  /** Forgets an exited backend. Others get what it had not accepted. Returns the number of connections that were lost with it. */
  remove(backend: Backend): number {
    const load = this.#loads.get(backend);
    if (!load) return 0;
    this.retire(backend);
    this.#loads.delete(backend);
    for (const connection of load.sent.values()) this.#assign(connection);
    this.#open.api -= load.open.api;
    this.#open.admin -= load.open.admin;
    return load.open.api + load.open.admin;
  }

  /** Asks the backends that accept nothing what has reached them. */
  probeStalled(): void {
    const now = performance.now();
    for (const [backend, { sent }] of this.#loads) {
      if (isStalled(sent, now)) backend.sendSync([...sent.keys()].at(-1) ?? 0);
    }
  }

  /** The backend has received everything up to this connection. The connections that it has not accepted until then were lost on the way. */
  synced(backend: Backend, id: number): void {
    for (const [sentId, { socket, port }] of this.#loads.get(backend)?.sent ?? []) {
      if (sentId > id) return;
      this.#loads.get(backend)?.sent.delete(sentId);
      this.#open[port]--;
      socket.destroy();
    }
  }

  /** The backend has accepted a connection. */
  accepted(backend: Backend, id: number): void {
    // They arrive in order.
    this.synced(backend, id - 1);
    const load = this.#loads.get(backend);
    const connection = load?.sent.get(id);
    if (!load || !connection) return;
    load.sent.delete(id);
    load.open[connection.port]++;
    // This process's own copy.
    connection.socket.destroy();
  }

  /** An accepted connection has been closed. */
  closed(backend: Backend, port: PortName): void {
    const load = this.#loads.get(backend);
    if (!load) return;
    load.open[port]--;
    this.#open[port]--;
  }

  /** Closes the connections that wait for a backend. */
  end(): void {
    for (const { socket, port } of this.#waiting.splice(0)) {
      this.#open[port]--;
      socket.destroy();
    }
  }

  #assign(connection: Connection): void {
    const backend = this.#leastLoaded();
    if (!backend) return void this.#waiting.push(connection);
    // Backends with equally few connections take turns.
    this.#active.delete(backend);
    this.#active.add(backend);
    const id = ++this.#lastId;
    this.#loads.get(backend)?.sent.set(id, { ...connection, at: performance.now() });
    backend.sendConnection(id, connection.port, connection.socket);
  }

  #leastLoaded(): Backend | undefined {
    const now = performance.now();
    let least: Backend | undefined;
    let leastLoad = Number.POSITIVE_INFINITY;
    for (const backend of this.#active) {
      const load = this.#loads.get(backend);
      if (!load) continue;
      const penalty = isStalled(load.sent, now) ? 2 ** 40 : 0;
      const total = load.sent.size + load.open.api + load.open.admin + penalty;
      if (total < leastLoad) [least, leastLoad] = [backend, total];
    }
    return least;
  }
}

function isStalled(sent: Load['sent'], now: number): boolean {
  const [oldest] = sent.values();
  return oldest !== undefined && now - oldest.at > STALLED_MS;
}
