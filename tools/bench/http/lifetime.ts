// Time and memory of servers until their first response, and memory under long load.
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { inRounds, median, rounded, withScratch } from '../measure.ts';
import { atMost, type Section } from '../section.ts';
import { collection, size } from '../workload.ts';
import { checkResponse, createLoad, type Load, listLoad, readLoads } from './loads.ts';
import { fastify, logFile, newDataFolder, ours, startOurs, withServers } from './servers.ts';

const MEBIBYTE = 2 ** 20;

/** Measures starts with the documents of the HTTP bench. */
export async function startup(quick: boolean): Promise<Section> {
  const rounds = quick ? 3 : 9;
  return withScratch(async (scratch) => {
    const folder = await newDataFolder(scratch);
    const subjects = [{ name: ours.name, start: () => startOurs(folder, scratch) }, fastify];
    const measured = await inRounds(subjects, rounds, async ({ start }) => {
      const started = performance.now();
      const server = await start(scratch);
      try {
        await checkResponse(server.port, listLoad);
        return { milliseconds: performance.now() - started, ...(await server.usage()) };
      } finally {
        await server.stop();
      }
    });
    const rows = [...measured].map(([{ name }, all]) => ({
      server: name,
      ms: Math.round(median(all.map(({ milliseconds }) => milliseconds))),
      'ms CPU': Math.round(median(all.map(({ cpu }) => cpu)) / 1000),
      'resident MiB': Math.round(median(all.map(({ rss }) => rss)) / MEBIBYTE),
    }));
    return {
      title: 'Starting',
      how: `From the start of a process with ${size.toLocaleString('en-US')} ${collection} to its first correct response: medians of ${rounds} starts.`,
      tables: [{ rows }],
      targets: [atMost('ours, ms', rows[0]?.ms ?? Number.NaN, 350)],
    };
  });
}

/** Samples the resident memory of the shipped server under ten minutes of lists and gets; the few creates hardly add memory. */
export async function soak(quick: boolean): Promise<Section> {
  const [count, every] = quick ? [12, 2_000] : [60, 10_000];
  return withServers([ours], async (_, scratch, [server], generator) => {
    if (!server) throw new Error('There is no server.');
    const samples: number[] = [];
    let responses = 0;
    const run = async (load: Load, milliseconds: number) => {
      responses += (await generator.run(server, load, milliseconds)).responses;
    };
    // The load before the first sample only warms up.
    for (let sample = -3; sample < count; sample++) {
      for (const load of readLoads) await run(load, every / readLoads.length);
      await run(createLoad, 20);
      if (sample >= 0) samples.push((await server.usage()).rss / MEBIBYTE);
      // The log would fill the disk.
      truncateSync(join(scratch, logFile));
    }
    const third = Math.floor(count / 3);
    const [first, last] = [median(samples.slice(0, third)), median(samples.slice(-third))];
    const row = { 'MiB, median of the first third': rounded(first, 1), 'of the last third': rounded(last, 1) };
    const minutes = rounded((count * every) / 60_000, 1);
    return {
      title: 'Memory under load',
      how: `${minutes} minutes of lists and gets (${responses.toLocaleString('en-US')} responses), with a few creates every ${every / 1000} s.`,
      tables: [{ rows: [row] }],
      targets: [atMost('resident memory, last third / first', last / first, 1.1)],
    };
  });
}
