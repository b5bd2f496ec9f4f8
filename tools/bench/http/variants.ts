// Compares two variants of the shipped server in alternation: with more operations, with idempotency keys, without storage.
import { parse } from 'yaml';
import { copyOfRepository } from '../../test/repository-copy.ts';
import { median, rounded } from '../measure.ts';
import { atLeast, atMost, type Section } from '../section.ts';
import { create, get, list } from '../workload.ts';
import { connections } from './generators.ts';
import { createLoad, loads } from './loads.ts';
import {
  medianOf,
  newDataFolder,
  ours,
  QUICK,
  type Rounds,
  ratiosOf,
  rowsOf,
  type Subject,
  startOurs,
  startProgram,
  withServers,
} from './servers.ts';

const MORE_OPERATIONS = 200;

/** Compares the shipped server with one whose spec has 200 more operations. */
export async function operationCount(quick: boolean): Promise<Section> {
  const times = quick ? QUICK : { rounds: 9, milliseconds: 500, warmUp: 2000 };
  const copy = copyOfRepository();
  try {
    copy.change('spec/openapi.yaml', (text) => text.replace(/^components:$/m, `${morePaths(parse(text).paths)}\n$&`));
    copy.change('apps/server/src/handlers.ts', withMoreHandlers);
    copy.generate();
    const start: Subject['start'] = async (scratch) => startOurs(await newDataFolder(scratch), scratch, copy.folder);
    const grown: Subject = { name: 'grown', start };
    const measured = await withServers([ours, grown], async (measure) => {
      const all: [string, Rounds][] = [];
      for (const load of loads) all.push([load.name, await measure(load, times)]);
      return all;
    });
    const costOf = (rounds: Rounds) => median(ratiosOf(rounds, 'cpu', 'grown', 'ours'));
    const rows = measured.map(([load, rounds]) => ({
      load,
      'CPU µs, shipped spec': rounded(medianOf(rounds, 'ours', 'cpu'), 1),
      [`CPU µs, ${MORE_OPERATIONS} operations more`]: rounded(medianOf(rounds, 'grown', 'cpu'), 1),
      ratio: rounded(costOf(rounds)),
    }));
    return {
      title: 'The number of operations',
      how: 'CPU time of a request, measured in alternation.',
      tables: [{ rows }],
      targets: [atMost('highest ratio', Math.max(...measured.map(([, rounds]) => costOf(rounds))), 1.05)],
    };
  } finally {
    copy.remove();
  }
}

/** Copies of the operations that list and get, under other names and paths. JSON is YAML. */
function morePaths(paths: Record<string, { get: { operationId: string } }>): string {
  const copyOf = (path: string, n: number) => ({
    get: { ...paths[path]?.get, operationId: `${paths[path]?.get.operationId}${n}` },
  });
  const copies = Array.from({ length: MORE_OPERATIONS / 2 }, (_, n) =>
    [list.path, get.path].map(
      (path) => `  /things${n}${path.slice(list.path.length)}: ${JSON.stringify(copyOf(path, n))}`,
    ),
  );
  return copies.flat().join('\n');
}

/** Gives each added operation a handler that returns an empty list. The cast replaces a check of their types. */
function withMoreHandlers(text: string): string {
  return `${text.replace('export function handlers(', 'function shippedHandlers(')}
import { operations as all } from '@petstore/types';
export const handlers = (store: Store): Handlers => ({
  ...(Object.fromEntries(Object.keys(all).map((id) => [id, async () => []])) as unknown as Handlers),
  ...shippedHandlers(store),
});
`;
}

/** Measures creates with a new key in each request, and without. */
export async function idempotency(quick: boolean): Promise<Section> {
  const times = quick ? QUICK : { rounds: 25, milliseconds: 500, warmUp: 3000 };
  const plain: Subject = { ...ours, name: 'without a key' };
  const keyed: Subject = { ...ours, name: 'with a key', keyHeader: create.idempotencyKey.header };
  const rounds = await withServers([plain, keyed], (measure) => measure(createLoad, times));
  return {
    title: 'Creates that are safe to repeat',
    how: 'Creates with and without a new idempotency key, measured in alternation.',
    tables: [{ rows: rowsOf(rounds) }],
    targets: [atMost('user time with a key / without', median(ratiosOf(rounds, 'user', keyed.name, plain.name)), 1.15)],
  };
}

/** Measures creates on the durable store and without storage, behind the same server. */
export async function durability(quick: boolean): Promise<Section> {
  const times = quick ? QUICK : { rounds: 11, milliseconds: 2000, warmUp: 2000 };
  const program = 'ours-without-log.ts';
  const nothing: Subject = { name: 'no storage', start: () => startProgram(program) };
  const start: Subject['start'] = async (scratch) => startProgram(program, await newDataFolder(scratch));
  const durable: Subject = { name: 'lowdb, durable', start };
  const rounds = await withServers([nothing, durable], (measure) => measure(createLoad, times));
  const ratio = medianOf(rounds, durable.name, 'perSecond') / medianOf(rounds, nothing.name, 'perSecond');
  return {
    title: 'What durability costs a caller',
    how: `Creates from ${connections} connections, without log: medians of ${times.rounds} rounds.`,
    tables: [{ rows: rowsOf(rounds) }],
    targets: [atLeast('creates/s / no storage', ratio, 0.7)],
  };
}
