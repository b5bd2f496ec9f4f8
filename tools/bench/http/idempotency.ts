/**
 * What an idempotency key costs: `node tools/bench/http/idempotency.ts [--quick]`. The same server creates without a key
 * and with a new one in each request, in turns, and answers the same request again.
 */
import { pinned } from '../process.ts';
import { inRounds, median, medianRatio, rounded } from '../rounds.ts';
import { alone, type Section } from '../section.ts';
import { create } from '../workload.ts';
import { type Load, loads } from './loads.ts';
import { withServers } from './measure.ts';
import { subjectsNamed } from './subjects.ts';

/** Measures creates with and without a key. */
export async function idempotency(quick: boolean): Promise<Section> {
  const times = quick
    ? { rounds: 15, milliseconds: 250, warmUp: 1000 }
    : { rounds: 25, milliseconds: 500, warmUp: 3000 };
  const plain = loads.find(({ name }) => name === 'create') as Load;
  const subjects = [
    { what: 'without a key', load: plain },
    { what: 'with a key', load: { ...plain, keyHeader: create.idempotencyKey.header } },
  ];
  const measured = await withServers(subjectsNamed(['ours']), async ([ours], generator) => {
    if (!ours) throw new Error('There is no server.');
    return inRounds(subjects, times.rounds, ({ load }, round) =>
      generator.run(ours.server, load, round < 0 ? times.warmUp : times.milliseconds),
    );
  });
  const userTimeOf = (subject: (typeof subjects)[number] | undefined) =>
    (subject && measured.get(subject)?.map(({ user }) => user)) ?? [];
  return {
    title: 'Creates that are safe to repeat',
    how: `User time per request of the shipped server, in alternation within one run; every key is new; ${pinned}.`,
    tables: [
      {
        rows: [...measured].map(([{ what }, all]) => ({
          create: what,
          'requests/s': Math.round(median(all.map(({ perSecond }) => perSecond))),
          'p50 ms': rounded(median(all.map(({ p50 }) => p50))),
          'user µs': rounded(median(all.map(({ user }) => user)), 1),
          'system µs': rounded(median(all.map(({ cpu, user }) => cpu - user)), 1),
        })),
      },
    ],
    targets: [
      {
        what: 'a create with a key, of one without',
        measured: medianRatio(userTimeOf(subjects[1]), userTimeOf(subjects[0])),
        kind: 'at most',
        bound: 1.15,
      },
    ],
  };
}

await alone(import.meta, idempotency);
