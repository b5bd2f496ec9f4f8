import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/kinds.ts';
import { listenOn } from '../http/listen.ts';
import { Quotas } from '../http/rate-limit.ts';
import { openKeys } from '../keys/check-keys.ts';
import { METRICS_OPEN_MS, MIN_STORE_CLOSE_MS, WORKER_EXIT_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import type { Running } from '../serve.ts';
import { ConnectionBalancer } from './balancer.ts';
import { aggregatedMetrics } from './metrics.ts';
import { Supervisor } from './supervisor.ts';
import { type PortName, type ServerMessage, WorkerProcess } from './worker-process.ts';

/** How often this process probes stalled workers, and checks the file of the keys for errors to report. */
const WATCH_MS = 1_000;

/** Starts the server with these settings. This process accepts the connections, and workers serve them. */
export async function serveWithWorkers(config: Config, logging: Log): Promise<Running> {
  rejectUnsuitable(config);
  const { log } = logging;
  const keys = openKeys(config, (problem) => log.warn(problem));
  const quotas = config.rateLimit ? new Quotas(config.rateLimit) : undefined;
  const balancer = new ConnectionBalancer(config.maxConnections);
  const metrics = createMetrics();
  metrics.watchLog(logging.lost);
  const supervisor = new Supervisor({
    size: config.workers,
    log,
    stopMs: config.shutdownTimeout + MIN_STORE_CLOSE_MS + WORKER_EXIT_MS,
    start: () => new WorkerProcess(config, { onMessage, onLines: logging.pass }),
    onServing: (worker) => {
      if (quotas) worker.send({ type: 'counted', requests: quotas.used() });
      balancer.add(worker);
    },
    onEnd: (worker) => {
      aggregated.addExited(worker);
      return balancer.remove(worker);
    },
  });
  const aggregated = aggregatedMetrics(metrics.json, () => supervisor.workers);
  metrics.watchWorkers(supervisor);

  function onMessage(worker: WorkerProcess, message: ServerMessage): void {
    if (message.type === 'accepted') balancer.accepted(worker, message.id);
    else if (message.type === 'synced') balancer.synced(worker, message.id);
    else if (message.type === 'closed') balancer.closed(worker, message.port);
    else if (message.type === 'metrics') void sendMetrics(worker);
    else {
      quotas?.add(message.requests);
      for (const other of supervisor.workers) if (other !== worker) other.send(message);
    }
  }

  async function sendMetrics(worker: WorkerProcess): Promise<void> {
    const text = await aggregated.text().catch((error) => {
      log.error({ err: error }, 'there are no metrics');
      return '';
    });
    worker.send({ type: 'metrics', text });
  }

  const servers: Server[] = [];
  const listen = async (name: PortName, port: number) => {
    const options = { pauseOnConnect: true, noDelay: true, allowHalfOpen: true };
    const server = createServer(options, (socket) => balancer.distribute(name, socket));
    servers.push(server);
    return listenOn(server, config.host, port);
  };
  const close = () => {
    for (const server of servers) server.close();
    balancer.closeWaiting();
  };

  try {
    const origin = await listen('api', config.port);
    const adminOrigin = config.adminPort === undefined ? undefined : await listen('admin', config.adminPort);
    await supervisor.start();
    const madeKey = await keys.createFirst();
    for (const worker of supervisor.workers) worker.send({ type: 'keysChanged' });
    const watch = setInterval(() => {
      balancer.probeStalled();
      keys.check('');
    }, WATCH_MS);
    watch.unref();
    setTimeout(() => void metrics.open(), METRICS_OPEN_MS).unref();
    log.info({ origin, adminOrigin, deployment: config.deployment, workers: config.workers }, 'started');
    const stop = async () => {
      log.info('stopping');
      for (const worker of supervisor.workers) worker.send({ type: 'announceStop' });
      await sleep(config.drainDelay);
      close();
      const result = await supervisor.stop();
      log.info({ cut: result.cut }, 'stopped');
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

function rejectUnsuitable({ workers, databaseUrl, bodyMemory, bodyLimit }: Config): void {
  if (databaseUrl === undefined)
    throw new ConfigError(
      `${workers} workers need a database, because one process alone writes to a data folder. Leave out --workers, or set DATABASE_URL; 'petstore-server export' and 'import' move the documents.`,
    );
  if (bodyMemory / workers < bodyLimit)
    throw new ConfigError(
      `--body-memory is ${bodyMemory}, which ${workers} workers share: it has to be ${workers * bodyLimit} at least, as --body-limit is ${bodyLimit}.`,
    );
}
