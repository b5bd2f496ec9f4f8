import { setTimeout as sleep } from 'node:timers/promises';
import { createApps } from './app.ts';
import type { Config } from './config.ts';
import { clientAddress } from './http/client-address.ts';
import { type Listener, listen } from './http/listen.ts';
import { rejectionObserver } from './http/observe.ts';
import { openKeys } from './keys.ts';
import { METRICS_OPEN_MS, MIN_STORE_CLOSE_MS } from './limits.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { openStore } from './store/open.ts';
import { openingStore } from './store/opening.ts';

export interface Running {
  /** Where it listens, without a path. */
  origin: string;
  /** Where it listens for operators, if on a port of its own. */
  adminOrigin: string | undefined;
  /** The key that was made because there was none yet; shown once. */
  madeKey: string | undefined;
  /** Stops accepting, answers the requests that have come, closes the store. */
  stop(): Promise<StopResult>;
}

export interface StopResult {
  /** Requests that were not answered in time. */
  cut: number;
  /** Whether the store closed in time. Where it did not, a thread may be stuck in a call of the system. */
  isClosed: boolean;
}

/** Starts the server with these settings. */
export async function serve(config: Config, logging: Log = createLog(config.logLevel)): Promise<Running> {
  const { log, logRequest } = logging;
  const metrics = createMetrics();
  metrics.watchLog(logging.lost);
  const keys = openKeys(config, (problem) => log.warn(problem));
  const opened = openStore(config, { onCommit: metrics.committed, onWarning: (line) => log.warn(line) });
  // A large data folder takes a while: the port is open meanwhile, and says that the server is not ready.
  const store = config.databaseUrl === undefined ? openingStore(opened, true) : await opened;
  metrics.watch(store);
  let isStopping = false;
  const listeners: Listener[] = [];
  try {
    const { app, admin, load } = await createApps(store, {
      ...config,
      keys: keys.check,
      clientAddress: clientAddress(config.trustProxy, config.proxyHeader),
      log,
      logRequest,
      metrics,
      isReady: async () => !isStopping && (await store.ready()),
      healthRoutes: config.adminPort === undefined,
    });
    const options = { ...config, onRejection: rejectionObserver(logRequest, metrics) };
    const listener = await listen(app, options);
    listeners.push(listener);
    const { origin } = listener;
    const adminListener =
      config.adminPort === undefined ? undefined : await listen(admin, { ...options, port: config.adminPort });
    if (adminListener) listeners.push(adminListener);
    const adminOrigin = adminListener?.origin;
    await opened;
    log.info({ origin, adminOrigin, deployment: config.deployment }, 'started');
    // Behind the first requests, which need nothing of it.
    setTimeout(() => {
      metrics.open().catch((error) => log.error({ err: error }, 'there are no metrics'));
      load().catch((error) => log.error({ err: error }, 'only plain requests can be answered'));
    }, METRICS_OPEN_MS).unref();
    const stop = async () => {
      isStopping = true;
      log.info('stopping');
      await sleep(config.drainDelay);
      const deadline = performance.now() + config.shutdownTimeout;
      const cut = await listener.drain(config.shutdownTimeout);
      await adminListener?.drain(0);
      const leftMs = Math.max(MIN_STORE_CLOSE_MS, deadline - performance.now());
      const isClosed = await Promise.race([store.close().then(() => true), sleep(leftMs, false, { ref: false })]);
      if (!isClosed) log.warn('the store did not close in time');
      log.info({ cut }, 'stopped');
      return { cut, isClosed };
    };
    return { origin, adminOrigin, madeKey: await keys.makeFirst(), stop };
  } catch (error) {
    for (const listener of listeners) await listener.drain(0);
    await store.close();
    throw error;
  }
}
