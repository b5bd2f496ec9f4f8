import { setTimeout as sleep } from 'node:timers/promises';
import { createApps } from './app.ts';
import type { Config } from './config/config.ts';
import { clientAddress } from './http/client-address.ts';
import { type Listener, listen } from './http/listen.ts';
import { rejectionObserver } from './http/observe.ts';
import type { Quotas } from './http/quotas.ts';
import { type KeyCheck, openKeys } from './keys.ts';
import { METRICS_OPEN_MS, MIN_STORE_CLOSE_MS } from './limits.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { openingStore, openStore } from './store/open.ts';

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

/** What a process has in common with the other processes of its server. */
interface Shared {
  quotas?: Quotas | undefined;
  /** The text of the metrics of all of them. */
  metricsText?: () => Promise<string>;
}

/** What answers the requests of a process, wherever its connections come from. */
export async function openService(config: Config, logging: Log, keys: KeyCheck, shared: Shared = {}) {
  const { log, logRequest } = logging;
  const metrics = createMetrics();
  metrics.watchLog(logging.lost);
  const opened = openStore(config, { onCommit: metrics.committed, onWarning: (line) => log.warn(line) });
  // A large data folder takes a while: the port is open meanwhile, and says that the server is not ready.
  const store = config.databaseUrl === undefined ? openingStore(opened) : await opened;
  metrics.watch(store);
  let isStopping = false;
  const { app, admin, load } = await createApps(store, {
    ...config,
    keys,
    quotas: shared.quotas,
    clientAddress: clientAddress(config.trustProxy, config.proxyHeader),
    log,
    logRequest,
    metrics: { ...metrics, text: shared.metricsText ?? metrics.text },
    isReady: async () => !isStopping && (await store.ready()),
    healthRoutes: config.adminPort === undefined,
  });
  return {
    app,
    admin,
    metrics,
    onRejection: rejectionObserver(logRequest, metrics),
    opened,
    /** Loads, behind the first requests, what they do not need. */
    loadRest: () => {
      setTimeout(() => {
        metrics.open().catch((error) => log.error({ err: error }, 'there are no metrics'));
        load().catch((error) => log.error({ err: error }, 'only plain requests can be answered'));
      }, METRICS_OPEN_MS).unref();
    },
    /** Has /readyz answer 503 from now on. */
    announceStop: () => {
      isStopping = true;
    },
    /** Closes the store; false where that takes longer. It has one second at least. */
    close: async (timeoutMs: number) => {
      const leftMs = Math.max(MIN_STORE_CLOSE_MS, timeoutMs);
      const isClosed = await Promise.race([store.close().then(() => true), sleep(leftMs, false, { ref: false })]);
      if (!isClosed) log.warn('the store did not close in time');
      return isClosed;
    },
  };
}
