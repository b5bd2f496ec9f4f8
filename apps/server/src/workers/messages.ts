import type { Metrics } from '../metrics.ts';

/** The metrics of a process as data. */
export type MetricsData = Awaited<ReturnType<Metrics['json']>>;

/** The ports of a server. */
export type PortName = 'api' | 'admin';

/** What the primary sends to a worker. */
export type ToWorker =
  /** With a socket: a connection that the primary has accepted. */
  | { type: 'connection'; id: number; port: PortName }
  /** Whatever was sent before it has arrived, but for connections for which there were no file descriptors. */
  | { type: 'sync'; id: number }
  /** The whole server will stop: /readyz answers 503, and responses end their connections. */
  | { type: 'announceStop' }
  /** Idle connections are closed after so many milliseconds. */
  | { type: 'stop'; idleMs: number }
  /** The keys in the data folder have changed just now. */
  | { type: 'keysChanged' }
  /** The requests of each key that the other workers have taken. */
  | { type: 'taken'; requests: Record<string, number> }
  | { type: 'collect'; id: number }
  | { type: 'metrics'; id: number; text: string };

/** What a worker sends to the primary. */
export type ToPrimary =
  | { type: 'ready' }
  /** It could not start, for this reason. */
  | { type: 'failed'; reason: string }
  /** A connection is the worker's from now on. */
  | { type: 'accepted'; id: number }
  | { type: 'synced'; id: number }
  | { type: 'closed'; port: PortName }
  | { type: 'taken'; requests: Record<string, number> }
  | { type: 'collected'; id: number; metrics: MetricsData }
  /** Requests the metrics of the server. */
  | { type: 'metrics'; id: number }
  | { type: 'stopped'; cut: number; isClosed: boolean; metrics: MetricsData };
