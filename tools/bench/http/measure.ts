import { withScratch } from '../fixtures.ts';
import type { Server } from '../process.ts';
import { inRounds, median, medianRatio } from '../rounds.ts';
import { documents } from '../workload.ts';
import { checkAnswer, type Generator, type Measured, startGenerator } from './load.ts';
import type { Load } from './loads.ts';
import { type Data, prepareData, type Subject } from './subjects.ts';

/** How often and how long each server is asked, in milliseconds. */
export interface Times {
  rounds: number;
  milliseconds: number;
  warmUp: number;
}

/** A server that runs, and how it is asked. */
export interface Running extends Pick<Subject, 'name' | 'only'> {
  server: Server;
}

/** The rounds of one load, by the names of the servers. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>;

/** Starts servers and a load, lends them out, and ends them all. */
export async function withServers<T>(
  subjects: readonly Pick<Subject, 'name' | 'only' | 'start'>[],
  use: (running: Running[], generator: Generator, data: Data) => Promise<T>,
): Promise<T> {
  return withScratch(async (scratch) => {
    const data = await prepareData(scratch);
    const generator = startGenerator();
    const running: Running[] = [];
    try {
      for (const { name, only, start } of subjects) {
        running.push({ name, server: await start(data), ...(only && { only }) });
      }
      return await use(running, generator, data);
    } finally {
      await Promise.all([generator.stop(), ...running.map(({ server }) => server.stop())]);
    }
  });
}

/** Measures one load on all servers that are there for it. Throws where one of them does not answer as it should. */
export async function measure(load: Load, running: readonly Running[], generator: Generator, times: Times) {
  const present = running.filter(({ only }) => only === undefined || only.includes(load.name));
  const right = documents();
  for (const { name, server } of present) {
    await checkAnswer(server, load, right).catch((error) => Promise.reject(asked(name, load, error)));
  }
  const measured = await inRounds(present, times.rounds, ({ name, server }, round) =>
    generator
      .ask(server, load, round < 0 ? times.warmUp : times.milliseconds)
      .catch((error) => Promise.reject(asked(name, load, error))),
  );
  return new Map([...measured].map(([{ name }, all]) => [name, all])) as Rounds;
}

const asked = (name: string, load: Load, cause: unknown) => new Error(`${name} failed at '${load.name}'.`, { cause });

/** The median of one of the numbers over the rounds. */
export function medianOf(rounds: Rounds, name: string, what: keyof Measured): number {
  return median((rounds.get(name) ?? []).map((one) => one[what]));
}

/** How much of what another server does for its CPU time this one does: above 1 it costs less. */
export function shareOf(rounds: Rounds, name: string, other: string, of: 'cpu' | 'user' = 'cpu'): number {
  const spent = (by: string) => (rounds.get(by) ?? []).map((one) => one[of]);
  return medianRatio(spent(other), spent(name));
}

/** The shares by user time of three runs, which are the rounds in three parts. */
export function sharesOfRuns(rounds: Rounds, name: string, other: string): number[] {
  return [0, 1, 2].map((run) => {
    const partOf = <T>(all: readonly T[]) => all.slice((all.length * run) / 3, (all.length * (run + 1)) / 3);
    return shareOf(new Map([...rounds].map(([server, all]) => [server, partOf(all)])), name, other, 'user');
  });
}
