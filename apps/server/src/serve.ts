import { setTimeout as sleep } from 'node:timers/promises';
import { createApps } from './app.ts';
import type { Config } from './config/config.ts';
import { clientAddress } from './http/client-address.ts';
import type { Draining } from './http/drain.ts';
import { type Listener, listen } from './http/listen.ts';
import { rejectionObserver } from './http/observe.ts';
import { type KeyCheck, openKeys } from './keys/check-keys.ts';
import { LATE_LOAD_MS, MIN_STORE_CLOSE_MS } from './limits.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { openingStore, openStore } from './store/open.ts';

/** A running server. */
export interface Running {
  /** The URL that the server listens on, without a path. */
  origin: string;
  /** The URL of the admin port, if there is one. */
  adminOrigin: string | undefined;
  /** The key that this start created because there was none. */
  madeKey: string | undefined;
  /** Stops accepting connections, finishes the requests under way, and closes the store. */
  stop(): Promise<StopResult>;
}

export interface StopResult {
  /** The number of aborted requests, which got no response in time. */
  aborted: number;
  /** Whether the store closed in time. If not, a thread may be blocked in a system call. */
  isClosed: boolean;
}

/** Starts the server in this process. */
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
      // During the delay, responses close their keep-alive connections.
      listener.announceClose();
      await sleep(config.drainDelay);
      const result = await service.stop(listener, adminListener);
      log.info({ abortedRequests: result.aborted }, 'stopped');
      return result;
    };
    return { origin, adminOrigin, madeKey: await keys.createFirst(), stop };
  } catch (error) {
    for (const listener of listeners) await listener.drain(0);
    await service.close(0);
    throw error;
  }
}

/** The request listeners, and the store behind them. The caller accepts the connections. */
async function openService(config: Config, logging: Log, keys: KeyCheck) {
  const { log, logRequest } = logging;
  const metrics = createMetrics(logging.lostLines);
  const opened = openStore(config, { onCommit: metrics.committed, onWarning: (line) => log.warn(line) });
  // Opening a large data folder takes a while, so the server already listens meanwhile, and reports that it is not ready.
  const store = config.databaseUrl === undefined ? openingStore(opened) : await opened;
  metrics.watchStore(store);
  let isStopping = false;

  /** Closes the store. Resolves to false if it has not closed after `timeoutMs`, or after MIN_STORE_CLOSE_MS if `timeoutMs` is less. */
  async function close(timeoutMs: number): Promise<boolean> {
    const leftMs = Math.max(MIN_STORE_CLOSE_MS, timeoutMs);
    const isClosed = await Promise.race([store.close().then(() => true), sleep(leftMs, false, { ref: false })]);
    if (!isClosed) log.warn('the store did not close in time');
    return isClosed;
  }

  const { app, admin, load } = await createApps(store, {
    ...config,
    keys,
    clientAddress: clientAddress(config.trustProxy, config.proxyHeader),
    log,
    logRequest,
    metrics,
    isReady: async () => !isStopping && (await store.ready()),
    healthRoutes: config.adminPort === undefined,
  }).catch(async (error) => {
    await close(0);
    throw error;
  });
  return {
    app,
    admin,
    onRejection: rejectionObserver(logRequest, metrics),
    opened,
    /** Loads the modules that the first requests do not need, after LATE_LOAD_MS. */
    loadRest: () => {
      metrics.openLate(log);
      setTimeout(() => {
        load().catch((error) => log.error({ err: error }, 'only the fast path can serve requests'));
      }, LATE_LOAD_MS).unref();
    },
    /** Makes /readyz respond with 503. */
    announceStop: () => {
      isStopping = true;
    },
    /** Responds to the requests that have arrived, then closes the store. */
    stop: async (listener: Draining, adminListener?: Draining): Promise<StopResult> => {
      const deadline = performance.now() + config.shutdownTimeout;
      const aborted = await listener.drain(config.shutdownTimeout);
      await adminListener?.drain(0);
      return { aborted, isClosed: await close(deadline - performance.now()) };
    },
    close,
  };
}
