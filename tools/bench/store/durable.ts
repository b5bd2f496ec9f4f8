/**
 * What durability costs a caller: creates over HTTP, on the durable store and without storage, in alternation within one
 * run. `node tools/bench/store/durable.ts [--quick]`
 */

import { connections } from '../http/load.ts';
import { loads } from '../http/loads.ts';
import { measure, medianOf, withServers } from '../http/measure.ts';
import { copied, type Data } from '../http/subjects.ts';
import { inRepository, pinned, startServer } from '../process.ts';
import { alone, type Section } from '../section.ts';

const script = inRepository('tools/bench/store/durable-server.ts');
const servers = [
  { name: 'no storage', start: () => startServer({ script }) },
  { name: 'lowdb, durable', start: (data: Data) => startServer({ script, args: [copied(data, 'durable')] }) },
];

/** Measures both stores behind the same server. */
export async function durability(quick: boolean): Promise<Section> {
  const times = quick
    ? { rounds: 3, milliseconds: 500, warmUp: 500 }
    : { rounds: 11, milliseconds: 2000, warmUp: 2000 };
  const create = loads.find(({ method }) => method === 'POST');
  if (!create) throw new Error('There is no load that creates.');
  const rounds = await withServers(servers, (running, generator) => measure(create, running, generator, times));
  const [nothing = Number.NaN, durable = Number.NaN] = servers.map(({ name }) => medianOf(rounds, name, 'perSecond'));
  return {
    title: 'What durability costs a caller',
    how: `Creates over HTTP from ${connections} connections, without log; medians of ${times.rounds} rounds; ${pinned}.`,
    tables: [
      {
        rows: servers.map(({ name }) => ({
          store: name,
          'creates/s': Math.round(medianOf(rounds, name, 'perSecond')),
        })),
      },
    ],
    targets: [{ what: 'creates/s, of no storage', measured: durable / nothing, kind: 'at least', bound: 0.7 }],
  };
}

await alone(import.meta, durability);
