// Compares a server with one process and one with two workers on one PostgreSQL. Where load, database and servers share the
// cores, compare the CPU time, not the rates.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from '@petstore/testing/machine';
import { startServer } from '@petstore/testing/server';
import { root } from '../../repository.ts';
import { apiKey, loads } from '../http/loads.ts';
import { every, medianOf, type Subject, shareOf, withServers } from '../http/servers.ts';
import { median, medianRatio, rounded } from '../measure.ts';
import type { Table } from '../section.ts';

const WORKERS = 2;
/** Database connections of all workers in total: waiting reads of one process share round trips. */
const POOL = 12;

/** Measures all loads. The database has the documents of the HTTP bench. */
export async function compareWorkers(url: string, rounds: number, milliseconds: number): Promise<Table> {
  const [one, several] = [subject('one process', 1, url), subject('workers', WORKERS, url)];
  const rows = await withServers([one, several], async (measure) => {
    const all: Table['rows'] = [];
    for (const load of loads) {
      const measured = await measure(load, { rounds, milliseconds, warmUp: milliseconds });
      const rates = ({ name }: Subject) => every(measured, name, 'perSecond');
      all.push({
        load: load.name,
        'requests/s, one process': Math.round(median(rates(one))),
        [`${WORKERS} workers`]: Math.round(median(rates(several))),
        ratio: rounded(medianRatio(rates(several), rates(one))),
        'CPU µs, one process': rounded(medianOf(measured, one.name, 'cpu'), 1),
        'CPU of workers, ratio': rounded(1 / shareOf(measured, several.name, one.name, 'cpu')),
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
    const { child, origin, kill } = await startServer(join(root, 'apps/server/src/main.js'), env);
    const { pid = 0 } = child;
    const usage = async () => {
      const cpu = [pid, ...(await childrenOf(pid))].map(cpuTime).reduce((sum, time) => sum + time);
      // Only the sum of user and system time is compared.
      return { cpu, user: 0, rss: 0 };
    };
    return { port: Number(new URL(origin).port), usage, stop: () => kill('SIGTERM') };
  };
  return { name, start };
}

/** The user and system time of a process in microseconds; a tick of Linux is 10 ms. */
function cpuTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 1).split(' ');
  return (Number(user) + Number(system)) * 10_000;
}
