// The servers that are measured, each a process of its own, and how one load is measured on several of them.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openLowdbStore } from '@petstore/server';
import { root } from '../../repository.ts';
import { fill, inRounds, median, rounded, withScratch } from '../measure.ts';
import { type Server, startMeasured } from '../process.ts';
import { size } from '../workload.ts';
import { type Generator, type Measured, type RunLoad, startGenerator } from './generators.ts';
import { apiKey, checkResponse, type Load } from './loads.ts';

/** A server to measure. */
export interface Subject extends Pick<Load, 'keyHeader'> {
  name: string;
  /** Starts it with the documents. Its files are in the scratch folder. */
  start(scratch: string): Promise<Server>;
}

/** The number of rounds, and the milliseconds of each and of the warm-up. */
interface Times {
  rounds: number;
  milliseconds: number;
  warmUp: number;
}

/** Enough to show that a part works. */
export const QUICK: Times = { rounds: 9, milliseconds: 250, warmUp: 1000 };

export const bare: Subject = { name: 'bare', start: () => startProgram('bare.ts') };
export const ours: Subject = {
  name: 'ours',
  start: async (scratch) => startOurs(await newDataFolder(scratch), scratch),
};
export const fastify: Subject = { name: 'fastify', start: () => startProgram('fastify.ts') };
export const fastifyDurable: Subject = {
  name: 'fastify-durable',
  start: async (scratch) => {
    const stdout = join(scratch, 'fastify.log');
    return startProgram('fastify.ts', { args: [await newDataFolder(scratch)], stdout });
  },
};

/** Where the log of the shipped server goes, in the scratch folder. */
export const logFile = 'ours.log';

/** The shipped server on this data folder, from this checkout or a copy of it. */
export function startOurs(dataDir: string, scratch: string, repository = root): Promise<Server> {
  return startMeasured({
    script: join(repository, 'apps/server/src/main.js'),
    env: { PORT: '0', PETSTORE_DATA_DIR: dataDir, PETSTORE_API_KEYS: `bench=${apiKey}` },
    stdout: join(scratch, logFile),
  });
}

/** Starts a program of `servers/`. NODE_ENV is `production` because some servers are faster then. */
export function startProgram(script: string, more: { args?: string[]; stdout?: string } = {}): Promise<Server> {
  const env = { NODE_ENV: 'production' };
  return startMeasured({ script: join(import.meta.dirname, 'servers', script), env, ...more });
}

/** Makes a data folder of the shipped server with the documents. */
export async function newDataFolder(scratch: string): Promise<string> {
  const folder = join(scratch, randomUUID());
  const store = await openLowdbStore(folder);
  await fill(store, size);
  await store.close();
  return folder;
}

/** Measures a load on all servers, by the name of the server. Throws if one of them responds wrongly. */
type Measure = (load: Load, times: Times, runLoad?: RunLoad) => Promise<Rounds>;

/** The rounds of one load, by the names of the servers. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>;

/** Starts servers and a load generator, runs `use`, and stops them. */
export async function withServers<T>(
  subjects: readonly Subject[],
  use: (measure: Measure, scratch: string, servers: readonly Server[], generator: Generator) => Promise<T>,
): Promise<T> {
  return withScratch(async (scratch) => {
    const generator = startGenerator();
    const running: { subject: Subject; server: Server }[] = [];
    const measure: Measure = async (load, { rounds, milliseconds, warmUp }, runLoad = generator.run) => {
      const measured = await inRounds(running, rounds, async ({ subject, server }, round) => {
        try {
          if (round < 0) await checkResponse(server.port, load);
          const time = round < 0 ? warmUp : milliseconds;
          return await runLoad(server, { ...load, keyHeader: subject.keyHeader }, time);
        } catch (cause) {
          throw new Error(`${subject.name} failed at '${load.name}'.`, { cause });
        }
      });
      return new Map([...measured].map(([{ subject }, all]) => [subject.name, all]));
    };
    try {
      for (const subject of subjects) running.push({ subject, server: await subject.start(scratch) });
      const servers = running.map(({ server }) => server);
      return await use(measure, scratch, servers, generator);
    } finally {
      await Promise.all([generator, ...running.map(({ server }) => server)].map((process) => process.stop()));
    }
  });
}

/** The median of one of the numbers over the rounds. */
export function medianOf(rounds: Rounds, name: string, what: keyof Measured): number {
  return median((rounds.get(name) ?? []).map((round) => round[what]));
}

/** The medians of every server, as rows of a table. */
export function rowsOf(rounds: Rounds) {
  return [...rounds.keys()].map((name) => ({
    server: name,
    'requests/s': Math.round(medianOf(rounds, name, 'perSecond')),
    'p99 ms': rounded(medianOf(rounds, name, 'p99')),
    'user µs': rounded(medianOf(rounds, name, 'user'), 1),
    'system µs': rounded(medianOf(rounds, name, 'cpu') - medianOf(rounds, name, 'user'), 1),
  }));
}

/** One of the numbers of a server divided by that of another, round by round. */
export function ratiosOf(rounds: Rounds, what: keyof Measured, server: string, other: string): number[] {
  const others = rounds.get(other) ?? [];
  return (rounds.get(server) ?? []).map((round, i) => round[what] / (others[i]?.[what] ?? Number.NaN));
}
