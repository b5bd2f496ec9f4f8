import { Socket } from 'node:net';
import type { Config } from '../config/config.ts';
import { serveSockets } from '../http/listen.ts';
import { openKeys } from '../keys/check-keys.ts';
import { QUOTA_EXCHANGE_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import { openService } from '../serve.ts';
import type { PortName, ToPrimary, ToWorker } from './worker-process.ts';

/**
 * Serves the connections that the primary sends, until the primary sends `stop` or exits. `closed` resolves when this worker has stopped,
 * to whether its store closed in time.
 */
export async function serveAsWorker(config: Config, logging: Log): Promise<{ closed: Promise<boolean> }> {
  // A worker that does not serve yet has no requests to finish.
  const exit = () => process.exit(1);
  process.on('disconnect', exit);
  // The primary reports errors of the keys once for all workers, so this process does not.
  const keys = openKeys(config, () => {});
  const metricsText = metricsOfServer();
  const service = await openService(shareOf(config), logging, keys.check, metricsText.request);
  await service.opened;
  const options = { ...shareOf(config), onRejection: service.onRejection };
  const servers = { api: serveSockets(service.app, options), admin: serveSockets(service.admin, options) };
  const { promise: stopRequested, resolve: requestStop } = Promise.withResolvers<number | undefined>();

  const acceptConnection = (port: PortName, id: number, socket: unknown) => {
    send({ type: 'accepted', id });
    // If the connection was closed on the way, its message has no socket.
    if (!(socket instanceof Socket)) return send({ type: 'closed', port });
    socket.once('close', () => send({ type: 'closed', port }));
    servers[port].accept(socket);
  };
  const sendMetrics = () =>
    service.metrics.json().then(
      (metrics) => send({ type: 'collected', metrics }),
      (error) => logging.log.error({ err: error }, 'the metrics of this worker cannot be collected'),
    );
  process.on('message', (message: ToWorker, socket: unknown) => {
    if (message.type === 'connection') acceptConnection(message.port, message.id, socket);
    else if (message.type === 'sync') send({ type: 'synced', id: message.id });
    else if (message.type === 'announceStop') {
      service.announceStop();
      servers.api.announceClose();
    } else if (message.type === 'stop') requestStop(message.idleMs);
    else if (message.type === 'keysChanged') keys.refresh();
    else if (message.type === 'counted') service.quotas?.add(message.requests);
    else if (message.type === 'metrics') metricsText.receive(message);
    else if (message.type === 'collect') void sendMetrics();
  });
  setInterval(() => {
    const requests = service.quotas?.newlyUsed();
    if (requests) send({ type: 'counted', requests });
  }, QUOTA_EXCHANGE_MS).unref();
  process.off('disconnect', exit).on('disconnect', () => requestStop(undefined));
  send({ type: 'ready' });
  service.loadRest();

  const closed = stopRequested.then(async (sweepMs) => {
    const result = await service.stop(servers.api, servers.admin, sweepMs);
    await sendMetrics();
    // This process exits now, and messages that the primary has not read yet must not get lost.
    await new Promise<void>((resolve) => send({ type: 'stopped', ...result }, resolve));
    return result.isClosed;
  });
  return { closed };
}

/** Sends a message to the primary. If the primary has exited, this process is about to exit, too, so the message is dropped. */
export function send(message: ToPrimary, onSent = () => {}): void {
  if (process.connected) process.send?.(message, undefined, {}, onSent);
  else onSent();
}

/** The configuration of one worker. The workers share the memory for bodies and responses. */
function shareOf(config: Config): Config {
  const share = (bytes: number) => Math.ceil(bytes / config.workers);
  return { ...config, bodyMemory: share(config.bodyMemory), responseMemory: share(config.responseMemory) };
}

/** Requests the metrics of all processes from the primary. */
function metricsOfServer() {
  let requested: PromiseWithResolvers<string> | undefined;
  return {
    request: () => {
      requested ??= Promise.withResolvers();
      send({ type: 'metrics' });
      return requested.promise;
    },
    receive: ({ text }: { text?: string }) => {
      if (text === undefined) requested?.reject(new Error('The primary could not aggregate the metrics.'));
      else requested?.resolve(text);
      requested = undefined;
    },
  };
}
