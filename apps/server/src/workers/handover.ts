import type { Socket } from 'node:net';
import type { PortName } from './messages.ts';

interface Connection {
  readonly socket: Socket;
  readonly port: PortName;
}

/** A process that serves connections. */
export interface Receiver {
  /** Sends it a connection, which it has to accept. */
  sendConnection(id: number, port: PortName, socket: Socket): void;
  /** Asks it to say when it has received everything up to this connection. */
  sendSync(id: number): void;
}

/** What a receiver has to do with. */
interface Load {
  /** Connections that were sent and not accepted yet, by their number, in order. */
  readonly sent: Map<number, Connection & { at: number }>;
  readonly open: Record<PortName, number>;
}

/** A receiver that has not accepted a connection for so long gets no other one, if another receiver can. */
const STALLED_MS = 1_000;

/**
 * Hands connections over to processes, each to the one that has the fewest. This process keeps a connection open until it was
 * accepted: where the other one dies before, the next one gets it, and its client notices nothing.
 */
export class Handover {
  readonly #maxConnections: number;
  readonly #loads = new Map<Receiver, Load>();
  /** Those that get connections. */
  readonly #receivers = new Set<Receiver>();
  /** Connections for which there is no receiver now. */
  readonly #waiting: Connection[] = [];
  readonly #open: Record<PortName, number> = { api: 0, admin: 0 };
  #last = 0;

  /** `maxConnections` bounds those of each port. */
  constructor(maxConnections: number) {
    this.#maxConnections = maxConnections;
  }

  /** Hands a connection over, or closes it where there are too many. */
  take(port: PortName, socket: Socket): void {
    // Nothing is read here, so whatever fails is seen by the process that gets it.
    socket.on('error', () => {});
    if (this.#open[port] >= this.#maxConnections) return void socket.destroy();
    this.#open[port]++;
    this.#hand({ port, socket });
  }

  /** From now on the receiver gets connections. */
  add(receiver: Receiver): void {
    this.#loads.set(receiver, { sent: new Map(), open: { api: 0, admin: 0 } });
    this.#receivers.add(receiver);
    for (const connection of this.#waiting.splice(0)) this.#hand(connection);
  }

  /** From now on the receiver gets no more connections. */
  retire(receiver: Receiver): void {
    this.#receivers.delete(receiver);
  }

  /** The receiver is gone: others get what it had not accepted. Returns the number of connections that were lost with it. */
  remove(receiver: Receiver): number {
    const load = this.#loads.get(receiver);
    if (!load) return 0;
    this.retire(receiver);
    this.#loads.delete(receiver);
    for (const connection of load.sent.values()) this.#hand(connection);
    this.#open.api -= load.open.api;
    this.#open.admin -= load.open.admin;
    return load.open.api + load.open.admin;
  }

  /** Asks the receivers that accept nothing whether what they were sent has reached them. */
  check(): void {
    const now = performance.now();
    for (const [receiver, { sent }] of this.#loads) {
      if (isStalled(sent, now)) receiver.sendSync([...sent.keys()].at(-1) ?? 0);
    }
  }

  /** The receiver has received everything up to this connection: what it has not accepted of that was lost on the way. */
  synced(receiver: Receiver, id: number): void {
    for (const [sentId, { socket, port }] of this.#loads.get(receiver)?.sent ?? []) {
      if (sentId > id) return;
      this.#loads.get(receiver)?.sent.delete(sentId);
      this.#open[port]--;
      socket.destroy();
    }
  }

  /** The receiver has a connection now. */
  accepted(receiver: Receiver, id: number): void {
    // They arrive in order.
    this.synced(receiver, id - 1);
    const load = this.#loads.get(receiver);
    const connection = load?.sent.get(id);
    if (!load || !connection) return;
    load.sent.delete(id);
    load.open[connection.port]++;
    // This process's own copy.
    connection.socket.destroy();
  }

  closed(receiver: Receiver, port: PortName): void {
    const load = this.#loads.get(receiver);
    if (!load) return;
    load.open[port]--;
    this.#open[port]--;
  }

  /** Closes the connections that nobody has got. */
  end(): void {
    for (const { socket, port } of this.#waiting.splice(0)) {
      this.#open[port]--;
      socket.destroy();
    }
  }

  #hand(connection: Connection): void {
    const receiver = this.#leastLoaded();
    if (!receiver) return void this.#waiting.push(connection);
    // Of those with as few connections, the next one gets the next.
    this.#receivers.delete(receiver);
    this.#receivers.add(receiver);
    const id = ++this.#last;
    this.#loads.get(receiver)?.sent.set(id, { ...connection, at: performance.now() });
    receiver.sendConnection(id, connection.port, connection.socket);
  }

  #leastLoaded(): Receiver | undefined {
    const now = performance.now();
    let least: Receiver | undefined;
    let leastLoad = Number.POSITIVE_INFINITY;
    for (const receiver of this.#receivers) {
      const load = this.#loads.get(receiver);
      if (!load) continue;
      const penalty = isStalled(load.sent, now) ? 2 ** 40 : 0;
      const total = load.sent.size + load.open.api + load.open.admin + penalty;
      if (total < leastLoad) [least, leastLoad] = [receiver, total];
    }
    return least;
  }
}

function isStalled(sent: Load['sent'], now: number): boolean {
  const [oldest] = sent.values();
  return oldest !== undefined && now - oldest.at > STALLED_MS;
}
