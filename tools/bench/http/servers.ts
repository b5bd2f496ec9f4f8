// The servers that are measured, each a process of its own, and how one load is measured on several of them.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLowdbStore } from '@petstore/server';
import { root } from '../../repository.ts';
import { fill, inRounds, median, medianRatio, rounded, withScratch } from '../measure.ts';
import { type Server, startServer } from '../process.ts';
import { documents, size } from '../workload.ts';
import { type Generator, type Measured, startGenerator } from './generators.ts';
import { apiKey, checkResponse, type Load, type LoadName } from './loads.ts';

/** A server to measure. */
export interface Subject {
  name: string;
  /** The loads that it supports; all by default. */
  only?: readonly LoadName[];
  start(data: Data): Promise<Server>;
}

/** The documents for the servers. */
export interface Data {
  scratch: string;
  /** The file with the documents as one JSON array. */
  json: string;
  /** A new copy of a data folder with the documents. */
  copy(): string;
}

/** The number of rounds, and the milliseconds of each. */
export interface Times {
  rounds: number;
  milliseconds: number;
  warmUp: number;
}

/** Enough to show that a part works. */
export const QUICK: Times = { rounds: 9, milliseconds: 250, warmUp: 1000 };

export const bare: Subject = { name: 'bare', start: ({ json }) => startProgram('bare.ts', json) };
export const ours: Subject = { name: 'ours', start: ({ scratch, copy }) => startOurs(copy(), scratch) };
export const fastify: Subject = { name: 'fastify', start: ({ json }) => startProgram('fastify.ts', json) };
export const fastifyDurable: Subject = {
  name: 'fastify-durable',
  only: ['create'],
  start: ({ copy }) => startProgram('fastify.ts', copy()),
};

/** Where the log of the shipped server goes, in the scratch folder. */
export const logFile = 'ours.log';

/** The shipped server on this data folder, from this checkout or a copy of it. */
export function startOurs(dataDir: string, scratch: string, repository = root): Promise<Server> {
  return startServer({
    script: join(repository, 'apps/server/src/main.js'),
    env: { PORT: '0', PETSTORE_DATA_DIR: dataDir, PETSTORE_API_KEYS: `bench=${apiKey}` },
    stdout: join(scratch, logFile),
  });
}

/** Starts a program of `servers/`. NODE_ENV is `production` because some servers are faster then. */
export function startProgram(script: string, ...args: string[]): Promise<Server> {
  const env = { NODE_ENV: 'production', API_KEY: apiKey };
  return startServer({ script: join(import.meta.dirname, 'servers', script), args, env });
}

/** Makes a data folder of the shipped server with `count` documents. */
export async function fillFolder(folder: string, count = size): Promise<void> {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  await store.close();
}

/** Runs `use` with the documents in every form that a server needs. */
export async function withData<T>(use: (data: Data) => Promise<T>): Promise<T> {
  return withScratch(async (scratch) => {
    const [json, folder] = [join(scratch, 'documents.json'), join(scratch, 'documents')];
    writeFileSync(json, JSON.stringify(documents()));
    await fillFolder(folder);
    let copies = 0;
    const copy = () => {
      const path = `${folder}-${++copies}`;
      cpSync(folder, path, { recursive: true });
      return path;
    };
    return use({ scratch, json, copy });
  });
}

/** Measures a load on all servers that support it, by the name of the server. Throws if one of them responds wrongly. */
export type Measure = (load: Load, times: Times, generator?: Generator) => Promise<Rounds>;

/** The rounds of one load, by the names of the servers. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>;

/** Starts servers and a load generator, runs `use`, and stops them. */
export async function withServers<T>(
  subjects: readonly Subject[],
  use: (measure: Measure, servers: readonly Server[], generator: Generator, data: Data) => Promise<T>,
): Promise<T> {
  return withData(async (data) => {
    const own = startGenerator();
    const servers: Server[] = [];
    const measure: Measure = async (load, { rounds, milliseconds, warmUp }, generator = own) => {
      const running = subjects.flatMap(({ name, only }, i) => {
        const server = servers[i];
        return server && (only === undefined || only.includes(load.name)) ? [{ name, server }] : [];
      });
      const named = (name: string) => (cause: unknown) =>
        Promise.reject(new Error(`${name} failed at '${load.name}'.`, { cause }));
      for (const { name, server } of running) await checkResponse(server.port, load).catch(named(name));
      const measured = await inRounds(running, rounds, ({ name, server }, round) =>
        generator.run(server, load, round < 0 ? warmUp : milliseconds).catch(named(name)),
      );
      return new Map([...measured].map(([{ name }, all]) => [name, all]));
    };
    try {
      for (const { start } of subjects) servers.push(await start(data));
      return await use(measure, servers, own, data);
    } finally {
      await Promise.all([own, ...servers].map((one) => one.stop()));
    }
  });
}

/** One of the numbers of a server, in every round. */
export function every(rounds: Rounds, name: string, what: keyof Measured): number[] {
  return (rounds.get(name) ?? []).map((one) => one[what]);
}

/** The median of one of the numbers over the rounds. */
export function medianOf(rounds: Rounds, name: string, what: keyof Measured): number {
  return median(every(rounds, name, what));
}

/** The medians of every server, as rows of a table. */
export function rowsOf(rounds: Rounds) {
  return [...rounds.keys()].map((name) => {
    const instructions = Math.round(medianOf(rounds, name, 'instructions'));
    return {
      server: name,
      'requests/s': Math.round(medianOf(rounds, name, 'perSecond')),
      'p99 ms': rounded(medianOf(rounds, name, 'p99')),
      'user µs': rounded(medianOf(rounds, name, 'user'), 1),
      'system µs': rounded(medianOf(rounds, name, 'cpu') - medianOf(rounds, name, 'user'), 1),
      ...(Number.isNaN(instructions) ? {} : { instructions }),
    };
  });
}

/** The CPU time of another server for a request, divided by that of this one: above 1, this one costs less. */
export function shareOf(rounds: Rounds, name: string, other: string, what: 'cpu' | 'user'): number {
  return medianRatio(every(rounds, other, what), every(rounds, name, what));
}
