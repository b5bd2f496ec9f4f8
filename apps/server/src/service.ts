import { setTimeout as sleep } from 'node:timers/promises';
import { createApps } from './app.ts';
import type { Config } from './config.ts';
import { clientAddress } from './http/client-address.ts';
import { rejectionObserver } from './http/observe.ts';
import type { Quotas } from './http/quotas.ts';
import type { KeyCheck } from './keys.ts';
import { METRICS_OPEN_MS, MIN_STORE_CLOSE_MS } from './limits.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { openStore } from './store/open.ts';
import { openingStore } from './store/opening-store.ts';

/** What a process has in common with the other processes of its server. */
export interface Shared {
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
  const store = config.databaseUrl === undefined ? openingStore(opened, true) : await opened;
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
