import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { listen } from './http/listen.ts';
import { openKeys } from './keys.ts';
import { createLog, type Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { openStore } from './store/open.ts';

export interface Running {
  /** Where it listens, without a path. */
  origin: string;
  /** The key that was made because there was none yet; told once. */
  madeKey: string | undefined;
  /** Stops accepting, answers what is in flight, closes the store. */
  stop(): Promise<void>;
}

/** Starts the server with these settings. */
export async function serve(config: Config, { log, logRequest }: Log = createLog(config.logLevel)): Promise<Running> {
  const metrics = createMetrics();
  const keys = openKeys(config, (problem) => log.warn(problem));
  const store = await openStore(config, { onCommit: metrics.committed, onWarning: (line) => log.warn(line) });
  if (store.connections) metrics.watch(store.connections);
  let draining = false;
  let stop = () => store.close();
  try {
    const app = await createApp(store, {
      ...config,
      keys: keys.check,
      log,
      logRequest,
      metrics,
      isReady: async () => !draining && (await store.ready()),
    });
    const listener = await listen(app, config);
    stop = async () => {
      draining = true;
      await listener.drain(config.shutdownTimeout);
      await store.close();
    };
    return { origin: listener.origin, madeKey: keys.makeFirst(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
