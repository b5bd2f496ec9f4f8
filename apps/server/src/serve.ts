import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from './config.ts';
import { type Listener, listen } from './http/listen.ts';
import { openKeys } from './keys.ts';
import { createLog, type Log } from './log.ts';
import { openService } from './service.ts';

export interface Running {
  /** Where it listens, without a path. */
  origin: string;
  /** Where it listens for operators, if on a port of its own. */
  adminOrigin: string | undefined;
  /** The key that was made because there was none yet; shown once. */
  madeKey: string | undefined;
  /** Stops accepting, answers the requests that have come, closes the store. */
  stop(): Promise<StopResult>;
  /** Ends the other processes of the server at once, if there are any. */
  kill?(): void;
}

export interface StopResult {
  /** Requests that were not answered in time. */
  cut: number;
  /** Whether the store closed in time. Where it did not, a thread may be stuck in a call of the system. */
  isClosed: boolean;
}

/** Starts the server with these settings, in this process. */
export async function serve(config: Config, logging: Log = createLog(config.logLevel)): Promise<Running> {
  const { log } = logging;
  const keys = openKeys(config, (problem) => log.warn(problem));
  const service = await openService(config, logging, keys.check);
  const listeners: Listener[] = [];
  try {
    const options = { ...config, onRejection: service.onRejection };
    const listener = await listen(service.app, options);
    listeners.push(listener);
    const { origin } = listener;
    const adminListener =
      config.adminPort === undefined ? undefined : await listen(service.admin, { ...options, port: config.adminPort });
    if (adminListener) listeners.push(adminListener);
    const adminOrigin = adminListener?.origin;
    await service.opened;
    log.info({ origin, adminOrigin, deployment: config.deployment }, 'started');
    service.loadRest();
    const stop = async () => {
      service.announceStop();
      log.info('stopping');
      // Clients on keep-alive connections leave during the delay, too.
      if (config.drainDelay > 0) listener.sendAway();
      await sleep(config.drainDelay);
      const deadline = performance.now() + config.shutdownTimeout;
      const cut = await listener.drain(config.shutdownTimeout);
      await adminListener?.drain(0);
      const isClosed = await service.close(deadline - performance.now());
      log.info({ cut }, 'stopped');
      return { cut, isClosed };
    };
    return { origin, adminOrigin, madeKey: await keys.makeFirst(), stop };
  } catch (error) {
    for (const listener of listeners) await listener.drain(0);
    await service.close(0);
    throw error;
  }
}
