import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/kinds.ts';
import { originOf } from '../http/listen.ts';
import { Quotas } from '../http/quotas.ts';
import { openKeys } from '../keys/check-keys.ts';
import { METRICS_OPEN_MS, MIN_STORE_CLOSE_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import type { Running } from '../serve.ts';
import { Handover } from './handover.ts';
import type { PortName, ToPrimary } from './messages.ts';
import { SharedMetrics } from './metrics.ts';
import { WorkerProcess } from './process.ts';
import { Supervisor } from './supervisor.ts';

/** How often connections that were not accepted and the keys are looked at, so that whatever is wrong with these is reported. */
const WATCH_MS = 1_000;

/** A server of several processes. */
export interface RunningTeam extends Running {
  /** Replaces the workers one by one. */
  replaceWorkers(): void;
}

/** Starts the server with these settings as a process that accepts connections, and others that serve them. */
export async function serveWithWorkers(config: Config, logging: Log): Promise<RunningTeam> {
  refuseUnsuitable(config);
  const { log } = logging;
  const keys = openKeys(config, (problem) => log.warn(problem));
  const quotas = config.rateLimit ? new Quotas(config.rateLimit) : undefined;
  const handover = new Handover(config.maxConnections);
  const metrics = createMetrics();
  metrics.watchLog(logging.lost);
  const supervisor = new Supervisor({
    size: config.workers,
    log,
    stopMs: config.shutdownTimeout + MIN_STORE_CLOSE_MS,
    start: () => new WorkerProcess(config, { onMessage, onLines: logging.pass }),
    onServing: (worker) => {
      if (quotas) worker.send({ type: 'taken', requests: quotas.all() });
      handover.add(worker);
    },
    onStopping: (worker) => handover.retire(worker),
    onEnd: (worker) => {
      sharedMetrics.end(worker);
      return handover.remove(worker);
    },
  });
  const sharedMetrics = new SharedMetrics(metrics.json, () => supervisor.workers);
  metrics.watchWorkers({
    deaths: () => supervisor.deaths,
    states: () => {
      const states = { starting: 0, serving: 0, stopping: 0 };
      for (const { state } of supervisor.workers) states[state]++;
      return states;
    },
  });

  function onMessage(worker: WorkerProcess, message: ToPrimary): void {
    if (message.type === 'accepted') handover.accepted(worker, message.id);
    else if (message.type === 'synced') handover.synced(worker, message.id);
    else if (message.type === 'closed') handover.closed(worker, message.port);
    else if (message.type === 'taken') shareQuotas(worker, message.requests);
    else if (message.type === 'collected') sharedMetrics.collected(worker, message.id, message.metrics);
    else if (message.type === 'metrics') void answerMetrics(worker, message.id);
    else {
      if (message.type === 'stopped') worker.metrics = message.metrics;
      supervisor.receive(worker, message);
    }
  }

  function shareQuotas(from: WorkerProcess, requests: Record<string, number>): void {
    quotas?.add(requests);
    for (const worker of supervisor.workers) if (worker !== from) worker.send({ type: 'taken', requests });
  }

  async function answerMetrics(worker: WorkerProcess, id: number): Promise<void> {
    const text = await sharedMetrics.text().catch((error) => {
      log.error({ err: error }, 'there are no metrics');
      return '';
    });
    worker.send({ type: 'metrics', id, text });
  }

  const servers: Server[] = [];
  const listen = async (name: PortName, port: number) => {
    const options = { pauseOnConnect: true, noDelay: true, allowHalfOpen: true };
    const server = createServer(options, (socket) => handover.take(name, socket));
    server.listen(port, config.host);
    await once(server, 'listening');
    servers.push(server);
    return originOf(server.address() as AddressInfo);
  };
  const close = () => {
    for (const server of servers) server.close();
    handover.end();
  };

  try {
    const origin = await listen('api', config.port);
    const adminOrigin = config.adminPort === undefined ? undefined : await listen('admin', config.adminPort);
    await supervisor.start();
    const madeKey = await keys.createFirst();
    for (const worker of supervisor.workers) worker.send({ type: 'keysChanged' });
    const watch = setInterval(() => {
      handover.check();
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
      const { cut, isClosed } = await supervisor.stop();
      log.info({ cut }, 'stopped');
      return { cut, isClosed };
    };
    return {
      origin,
      adminOrigin,
      madeKey,
      stop,
      replaceWorkers: () => void supervisor.replace(),
      kill: () => supervisor.kill(),
    };
  } catch (error) {
    close();
    throw error;
  }
}

function refuseUnsuitable({ workers, databaseUrl, bodyMemory, bodyLimit }: Config): void {
  if (databaseUrl === undefined)
    throw new ConfigError(
      `${workers} workers need a database, because one process alone writes to a data folder. Leave out --workers, or set DATABASE_URL; 'petstore-server export' and 'import' move the documents.`,
    );
  if (bodyMemory / workers < bodyLimit)
    throw new ConfigError(
      `--body-memory is ${bodyMemory}, which ${workers} workers share: it has to be ${workers * bodyLimit} at least, as --body-limit is ${bodyLimit}.`,
    );
}
