import { withScratch } from '../fixtures.ts';
import type { Server } from '../process.ts';
import { inRounds, median, medianRatio } from '../rounds.ts';
import { documents } from '../workload.ts';
import { checkAnswer, type Generator, type Measured, startGenerator } from './load.ts';
import type { Load } from './loads.ts';
import { type Data, prepareData, type Subject } from './subjects.ts';

/** The number of rounds, and the milliseconds of each. */
export interface Times {
  rounds: number;
  milliseconds: number;
  warmUp: number;
}

/** A subject whose server runs. */
export interface Running extends Pick<Subject, 'name' | 'only'> {
  server: Server;
}

/** The rounds of one load, by the names of the servers. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>;

/** Starts servers and a load generator, runs `use`, and stops them. */
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

/** Measures one load on all servers that support it. Throws if one of them responds wrongly. */
export async function measure(load: Load, running: readonly Running[], generator: Generator, times: Times) {
  const present = running.filter(({ only }) => only === undefined || only.includes(load.name));
  const right = documents();
  for (const { name, server } of present) {
    await checkAnswer(server, load, right).catch((error) => Promise.reject(failure(name, load, error)));
  }
  const measured = await inRounds(present, times.rounds, ({ name, server }, round) =>
    generator
      .run(server, load, round < 0 ? times.warmUp : times.milliseconds)
      .catch((error) => Promise.reject(failure(name, load, error))),
  );
  return new Map([...measured].map(([{ name }, all]) => [name, all])) as Rounds;
}

const failure = (name: string, load: Load, cause: unknown) => new Error(`${name} failed at '${load.name}'.`, { cause });

/** The median of one of the numbers over the rounds. */
export function medianOf(rounds: Rounds, name: string, what: keyof Measured): number {
  return median((rounds.get(name) ?? []).map((one) => one[what]));
}

/** The CPU time of another server for a request, divided by that of this one: above 1, this one costs less. */
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
