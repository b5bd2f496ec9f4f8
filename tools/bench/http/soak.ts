/**
 * Whether the server's memory stays as it is under load: `node tools/bench/http/soak.ts [--quick]`, ten minutes of
 * lists and gets, with some creates in between, few enough that what they need hardly counts.
 */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { pinned, type Usage } from '../process.ts';
import { median, rounded } from '../rounds.ts';
import { alone, type Section } from '../section.ts';
import { type Load, loads } from './loads.ts';
import { withServers } from './measure.ts';
import { logFile, subjectsNamed } from './subjects.ts';

const mebibyte = 2 ** 20;
const sizes = ['rss', 'heapUsed', 'external'] as const;

/** Loads the shipped server and samples its memory every ten seconds. */
export async function soak(quick: boolean): Promise<Section> {
  const [count, every] = quick ? [12, 2_000] : [60, 10_000];
  const reads = loads.filter(({ name }) => name !== 'create');
  const create = loads.find(({ name }) => name === 'create');
  return withServers(subjectsNamed(['ours']), async ([ours], generator, { scratch }) => {
    if (!ours || !create) throw new Error('There is nothing to measure.');
    const samples: Usage[] = [];
    let answered = 0;
    const run = async (load: Load, milliseconds: number) => {
      answered += (await generator.run(ours.server, load, milliseconds)).answered;
    };
    // What comes before the first sample only warms up.
    for (let sample = -3; sample < count; sample++) {
      for (const load of reads) await run(load, every / reads.length);
      await run(create, 20);
      if (sample >= 0) samples.push(await ours.server.usage());
      // It would fill the disk.
      truncateSync(join(scratch, logFile));
    }
    return section(samples, every, answered);
  });
}

function section(samples: readonly Usage[], every: number, answered: number): Section {
  const third = Math.floor(samples.length / 3);
  const [first, last] = [samples.slice(0, third), samples.slice(-third)];
  const of = (part: readonly Usage[], size: (typeof sizes)[number]) =>
    median(part.map((usage) => usage[size])) / mebibyte;
  const minutes = (samples.length * every) / 60_000;
  return {
    title: 'Memory under load',
    how: `${rounded(minutes, 1)} minutes of lists and gets, ${answered.toLocaleString('en-US')} responses, a few creates every ${every / 1000} s; ${pinned}.`,
    tables: [
      {
        rows: sizes.map((size) => ({
          memory: size,
          'MiB, median of the first third': rounded(of(first, size), 1),
          'of the last third': rounded(of(last, size), 1),
          'slope, KiB a minute': Math.round(slope(samples.map((usage) => usage[size] / 1024)) * (60_000 / every)),
        })),
      },
    ],
    targets: [
      {
        what: 'resident memory, last third to first',
        measured: of(last, 'rss') / of(first, 'rss'),
        kind: 'at most',
        bound: 1.1,
      },
    ],
  };
}

/** By how much the numbers grow from one to the next: the least squares line through them. */
function slope(numbers: readonly number[]): number {
  const middle = (numbers.length - 1) / 2;
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const [over, under] = numbers.reduce(
    ([over, under], number, i) => [over + (i - middle) * (number - mean), under + (i - middle) ** 2],
    [0, 0],
  );
  return over / under;
}

await alone(import.meta, soak);
