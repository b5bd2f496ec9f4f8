import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/kinds.ts';
import { listenOn } from '../http/listen.ts';
import { Quotas } from '../http/rate-limit.ts';
import { openKeys } from '../keys/check-keys.ts';
import { MIN_STORE_CLOSE_MS, WATCH_MS, WORKER_EXIT_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import type { Running } from '../serve.ts';
import { ConnectionBalancer } from './balancer.ts';
import { aggregatedMetrics } from './metrics.ts';
import { Supervisor } from './supervisor.ts';
import { type MetricsData, type PortName, type ServerMessage, WorkerProcess } from './worker-process.ts';

/** Starts a server: this process accepts the connections, and passes them to worker processes. */
export async function serveWithWorkers(config: Config, logging: Log): Promise<Running> {
  if (config.databaseUrl === undefined)
    throw new ConfigError(
      `--workers is ${config.workers}, but only one process can write to a data folder. Set DATABASE_URL to use a database, or leave out --workers; to move the documents, use 'petstore-server export' and 'import'.`,
    );
  const { log } = logging;
  const keys = openKeys(config, (problem) => log.warn(problem));
  const balancer = new ConnectionBalancer<WorkerProcess>(config.maxConnections);
  const metrics = createMetrics(logging.lostLines);
  const supervisor = superviseWorkers(config, logging, balancer, metrics.json);
  metrics.watchWorkers(supervisor);
  const { listen, close } = connectionServers(config.host, balancer);
  try {
    const origin = await listen('api', config.port);
    const adminOrigin = config.adminPort === undefined ? undefined : await listen('admin', config.adminPort);
    await supervisor.start();
    const madeKey = await keys.createFirst();
    if (madeKey !== undefined) supervisor.send({ type: 'keysChanged' });
    setInterval(() => {
      for (const worker of balancer.probe()) {
        log.error({ worker: worker.pid }, 'worker does not respond, and is killed');
        worker.kill();
      }
      keys.refresh();
    }, WATCH_MS).unref();
    metrics.openLate(log);
    log.info({ origin, adminOrigin, deployment: config.deployment, workers: config.workers }, 'started');
    const stop = async () => {
      log.info('stopping');
      supervisor.announceStop();
      await sleep(config.drainDelay);
      close();
      const result = await supervisor.stop();
      log.info({ abortedRequests: result.aborted }, 'stopped');
      return result;
    };
    return {
      origin,
      adminOrigin,
      madeKey,
      stop,
      replaceWorkers: () => supervisor.replace(),
      kill: () => supervisor.kill(),
    };
  } catch (error) {
    close();
    supervisor.kill();
    throw error;
  }
}

/** Creates the supervisor of the workers, which get connections from the balancer and share rate limits and metrics. */
function superviseWorkers(
  config: Config,
  { log, writeLines }: Log,
  balancer: ConnectionBalancer<WorkerProcess>,
  metricsOfPrimary: () => Promise<MetricsData>,
): Supervisor {
  const quotas = config.rateLimit ? new Quotas(config.rateLimit) : undefined;
  const supervisor = new Supervisor({
    size: config.workers,
    log,
    stopMs: config.shutdownTimeout + MIN_STORE_CLOSE_MS + WORKER_EXIT_MS,
    start: () => new WorkerProcess(config, handleMessage, writeLines),
    onServing: (worker) => {
      // The new worker starts from the current counts, so it does not grant each key a whole quota again.
      if (quotas) worker.send({ type: 'counted', requests: quotas.used() });
      balancer.add(worker);
    },
    onExit: (worker) => {
      metrics.addExited(worker);
      return balancer.remove(worker);
    },
  });
  const metrics = aggregatedMetrics(metricsOfPrimary, () => supervisor.workers);

  function handleMessage(worker: WorkerProcess, message: ServerMessage): void {
    if (message.type === 'accepted') balancer.accepted(worker, message.id);
    else if (message.type === 'synced') balancer.synced(worker, message.id);
    else if (message.type === 'closed') balancer.closed(worker, message.port);
    else if (message.type === 'metrics') void sendMetrics(worker);
    else if (message.type === 'counted') {
      quotas?.add(message.requests);
      // A worker that starts gets the sum of all requests once it serves.
      const others = supervisor.workers.filter((other) => other !== worker && other.state !== 'starting');
      for (const other of others) other.send(message);
    }
  }

  async function sendMetrics(worker: WorkerProcess): Promise<void> {
    try {
      worker.send({ type: 'metrics', text: await metrics.text() });
    } catch (error) {
      log.error({ err: error }, 'the metrics of the workers cannot be aggregated');
      worker.send({ type: 'metrics' });
    }
  }

  return supervisor;
}

/** The servers that accept the connections of each port. `close` also closes the connections that wait for a worker. */
function connectionServers(host: string, balancer: ConnectionBalancer<WorkerProcess>) {
  const servers: Server[] = [];
  return {
    listen: (name: PortName, port: number) => {
      const options = { pauseOnConnect: true, noDelay: true, allowHalfOpen: true };
      const server = createServer(options, (socket) => balancer.distribute(name, socket));
      servers.push(server);
      return listenOn(server, host, port);
    },
    close: () => {
      for (const server of servers) server.close();
      balancer.closeWaiting();
    },
  };
}
