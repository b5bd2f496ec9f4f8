import { Socket } from 'node:net';
import type { Config } from '../config/config.ts';
import { serveSockets } from '../http/listen.ts';
import { Quotas } from '../http/rate-limit.ts';
import { openKeys } from '../keys/check-keys.ts';
import { QUOTA_EXCHANGE_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import { openService } from '../serve.ts';
import type { PortName, ToPrimary, ToWorker } from './worker-process.ts';

export interface RunningWorker {
  /** Responds to the requests that have arrived, then closes the store. Resolves to false if the store did not close in time. */
  stop(idleMs?: number): Promise<boolean>;
}

/** Serves the connections that the primary sends. Calls `onStop` when the primary stops this process. */
export async function serveAsWorker(
  config: Config,
  logging: Log,
  onStop: (idleMs?: number) => void,
): Promise<RunningWorker> {
  // The primary reports errors of the keys once for all workers, so this process does not.
  const keys = openKeys(config, () => {});
  const quotas = config.rateLimit ? new Quotas(config.rateLimit) : undefined;
  const metricsText = metricsOfServer();
  const service = await openService(partOf(config), logging, keys.check, { quotas, metricsText: metricsText.request });
  await service.opened;
  const options = { ...partOf(config), onRejection: service.onRejection };
  const servers = { api: serveSockets(service.app, options), admin: serveSockets(service.admin, options) };

  const acceptConnection = (port: PortName, id: number, socket: unknown) => {
    send({ type: 'accepted', id });
    // If the connection was closed on the way, its message has no socket.
    if (!(socket instanceof Socket)) return send({ type: 'closed', port });
    socket.once('close', () => send({ type: 'closed', port }));
    servers[port].accept(socket);
  };
  process.on('message', (message: ToWorker, socket: unknown) => {
    if (message.type === 'connection') acceptConnection(message.port, message.id, socket);
    else if (message.type === 'sync') send({ type: 'synced', id: message.id });
    else if (message.type === 'announceStop') {
      service.announceStop();
      servers.api.announceClose();
    } else if (message.type === 'stop') onStop(message.idleMs);
    else if (message.type === 'keysChanged') keys.refresh();
    else if (message.type === 'counted') quotas?.add(message.requests);
    else if (message.type === 'metrics') metricsText.receive(message.id, message.text);
    else
      service.metrics.json().then(
        (metrics) => send({ type: 'collected', id: message.id, metrics }),
        (error) => logging.log.error({ err: error }, 'there are no metrics'),
      );
  });
  const exchange = setInterval(() => {
    const requests = quotas?.newlyUsed();
    if (requests) send({ type: 'counted', requests });
  }, QUOTA_EXCHANGE_MS);
  exchange.unref();
  send({ type: 'ready' });
  service.loadRest();

  const stop = async (idleMs?: number) => {
    const deadline = performance.now() + config.shutdownTimeout;
    const cut = await servers.api.drain(config.shutdownTimeout, idleMs);
    await servers.admin.drain(0);
    const isClosed = await service.close(deadline - performance.now());
    send({ type: 'stopped', cut, isClosed, metrics: await service.metrics.json() });
    return isClosed;
  };
  return { stop };
}

/** Sends a message to the primary. If the primary has exited, this process is about to exit, too, so the message is dropped. */
export function send(message: ToPrimary): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {});
}

/** The settings of one worker: its part of the memory for bodies and responses. */
function partOf(config: Config): Config {
  const part = (bytes: number) => Math.ceil(bytes / config.workers);
  return { ...config, bodyMemory: part(config.bodyMemory), responseMemory: part(config.responseMemory) };
}

/** Requests the metrics of all processes from the primary. */
function metricsOfServer() {
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;
  return {
    request: () =>
      new Promise<string>((resolve) => {
        waiting.set(++lastId, resolve);
        send({ type: 'metrics', id: lastId });
      }),
    receive: (id: number, text: string) => {
      waiting.get(id)?.(text);
      waiting.delete(id);
    },
  };
}
