import type { Socket } from 'node:net';
import { MAX_MISSED_PROBES } from '../limits.ts';
import type { PortName, WorkerProcess } from './worker-process.ts';

interface Connection {
  readonly socket: Socket;
  readonly port: PortName;
}

/** A process that serves connections. It gets new connections only in the state 'serving'. */
type Backend = Pick<WorkerProcess, 'send' | 'state'>;

/** The connections of a backend. */
interface Load {
  /** The connections that the backend got but has not accepted yet, by their ids, in the order of sending. */
  readonly pending: Map<number, Connection & { sentAt: number }>;
  /** The number of accepted connections that are still open, by port. */
  readonly accepted: Record<PortName, number>;
  /** The number of calls of `probe` since the backend responded; the first of them sent a message. */
  missedProbes: number;
}

/** A backend is stalled if a connection has been pending for longer. It gets new connections only if all serving backends are stalled. */
const STALLED_MS = 1_000;

/**
 * Distributes connections over backends: each connection goes to the backend with the fewest. This process keeps its own copy of a
 * connection until the backend accepts it. If the backend dies first, the connection goes to another backend, so the client keeps it.
 */
export class ConnectionBalancer<B extends Backend> {
  readonly #maxConnections: number;
  /** The loads of the backends. The backend that got the latest connection comes last. */
  readonly #loads = new Map<B, Load>();
  /** The connections that wait because no backend serves. */
  readonly #waiting: Connection[] = [];
  /** The number of open connections by port: waiting, pending and accepted. */
  readonly #open: Record<PortName, number> = { api: 0, admin: 0 };
  #lastId = 0;

  /** `maxConnections` bounds the connections of each port. */
  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  /** Sends a connection to a backend, or closes it if its port has too many open connections. */
  distribute(port: PortName, socket: Socket): void {
    // The backend that gets the connection handles its errors. Without a listener, an error would end this process.
    socket.on('error', () => {});
    if (this.#open[port] >= this.#maxConnections) return void socket.destroy();
    this.#open[port]++;
    this.#assign({ port, socket });
  }

  /** Adds a backend. It gets the waiting connections, and new connections from now on. */
  add(backend: B): void {
    this.#loads.set(backend, { pending: new Map(), accepted: { api: 0, admin: 0 }, missedProbes: 0 });
    for (const connection of this.#waiting.splice(0)) this.#assign(connection);
  }

  /**
   * Removes a backend that has exited, and sends the connections that it had not accepted to other backends. Returns the number of
   * accepted connections, which were lost with it.
   */
  remove(backend: B): number {
    const load = this.#loads.get(backend);
    if (!load) return 0;
    this.#loads.delete(backend);
    for (const connection of load.pending.values()) this.#assign(connection);
    this.#open.api -= load.accepted.api;
    this.#open.admin -= load.accepted.admin;
    return load.accepted.api + load.accepted.admin;
  }

  /**
   * Asks each backend to confirm what it has received, so connections that were lost on the way are found. Returns the backends that
   * have not responded during MAX_MISSED_PROBES calls. Calls are counted, because the clock continues while this process
   * is suspended.
   */
  probe(): B[] {
    for (const [backend, load] of this.#loads) {
      // A backend that does not respond gets no further message, which would wait in memory.
      if (load.missedProbes++ === 0) backend.send({ type: 'sync', id: [...load.pending.keys()].at(-1) ?? 0 });
    }
    return [...this.#loads].flatMap(([backend, load]) =>
      load.missedProbes === MAX_MISSED_PROBES + 1 && backend.state === 'serving' ? [backend] : [],
    );
  }

  /**
   * The backend confirms that it has received every message up to the one with this connection. It accepts connections on arrival,
   * so the connections up to this one that it has not accepted were lost on the way, and are closed.
   */
  synced(backend: B, id: number): void {
    const load = this.#loads.get(backend);
    if (!load) return;
    load.missedProbes = 0;
    for (const [pendingId, { socket, port }] of load.pending) {
      if (pendingId > id) return;
      load.pending.delete(pendingId);
      this.#open[port]--;
      socket.destroy();
    }
  }

  /** The backend has accepted a connection. */
  accepted(backend: B, id: number): void {
    // Messages arrive in order, so earlier connections that are still pending were lost on the way.
    this.synced(backend, id - 1);
    const load = this.#loads.get(backend);
    const connection = load?.pending.get(id);
    if (!load || !connection) return;
    load.pending.delete(id);
    load.accepted[connection.port]++;
    // This closes this process's copy. The connection stays open in the backend.
    connection.socket.destroy();
  }

  /** An accepted connection has been closed. */
  closed(backend: B, port: PortName): void {
    const load = this.#loads.get(backend);
    if (!load) return;
    load.accepted[port]--;
    this.#open[port]--;
  }

  /** Closes the connections that wait for a backend. */
  closeWaiting(): void {
    for (const { socket, port } of this.#waiting.splice(0)) {
      this.#open[port]--;
      socket.destroy();
    }
  }

  #assign(connection: Connection): void {
    const [backend, load] = this.#leastLoaded() ?? [];
    if (!backend || !load) return void this.#waiting.push(connection);
    // Backends with equally few connections take turns.
    this.#loads.delete(backend);
    this.#loads.set(backend, load);
    const id = ++this.#lastId;
    load.pending.set(id, { ...connection, sentAt: performance.now() });
    backend.send({ type: 'connection', id, port: connection.port }, connection.socket);
  }

  #leastLoaded(): [B, Load] | undefined {
    const now = performance.now();
    let least: [B, Load] | undefined;
    let leastTotal = Number.POSITIVE_INFINITY;
    for (const [backend, load] of this.#loads) {
      if (backend.state !== 'serving') continue;
      const penalty = isStalled(load.pending, now) ? 2 ** 40 : 0;
      const total = load.pending.size + load.accepted.api + load.accepted.admin + penalty;
      if (total < leastTotal) [least, leastTotal] = [[backend, load], total];
    }
    return least;
  }
}

/** Whether the oldest pending connection has waited too long to be accepted. */
function isStalled(pending: Load['pending'], now: number): boolean {
  const [oldest] = pending.values();
  return oldest !== undefined && now - oldest.sentAt > STALLED_MS;
}
