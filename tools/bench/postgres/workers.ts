// Compares a server with one process and one with two workers on one PostgreSQL.
import { join } from 'node:path';
import { startServer } from '@petstore/testing/server';
import { root } from '../../repository.ts';
import { apiKey, loads } from '../http/loads.ts';
import { medianOf, ratiosOf, type Subject, withServers } from '../http/servers.ts';
import { median, rounded } from '../measure.ts';
import type { Table } from '../section.ts';

const WORKERS = 2;
/** The total number of database connections. Reads of one process that wait for a connection share a round trip. */
const POOL = 12;

/** Measures all loads. The database has the documents of the HTTP bench. */
export async function compareWorkers(url: string, rounds: number, milliseconds: number): Promise<Table> {
  const [single, several] = [subject('one process', 1, url), subject('workers', WORKERS, url)];
  const rows = await withServers([single, several], async (measure) => {
    const all: Table['rows'] = [];
    for (const load of loads) {
      const measured = await measure(load, { rounds, milliseconds, warmUp: milliseconds });
      all.push({
        load: load.name,
        'requests/s, one process': Math.round(medianOf(measured, single.name, 'perSecond')),
        [`${WORKERS} workers`]: Math.round(medianOf(measured, several.name, 'perSecond')),
        ratio: rounded(median(ratiosOf(measured, 'perSecond', several.name, single.name))),
      });
    }
    return all;
  });
  return { caption: `${WORKERS} workers and one process, over HTTP`, rows };
}

function subject(name: string, workers: number, url: string): Subject {
  const env = {
    DATABASE_URL: url,
    PETSTORE_API_KEYS: `bench=${apiKey}`,
    PETSTORE_WORKERS: String(workers),
    PETSTORE_DATABASE_POOL: String(POOL / workers),
    // Connections are slow on a saturated machine.
    PETSTORE_DATABASE_CONNECT_TIMEOUT: '60',
  };
  const start: Subject['start'] = async () => {
    const { origin, kill } = await startServer(join(root, 'apps/server/src/main.js'), env);
    // Only the rates are compared.
    const usage = async () => ({ cpu: 0, user: 0, rss: 0 });
    return { port: Number(new URL(origin).port), usage, stop: () => kill('SIGTERM') };
  };
  return { name, start };
}
