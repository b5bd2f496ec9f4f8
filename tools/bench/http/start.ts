// Time and memory of servers until their first response.
import { inRounds, median, withScratch } from '../measure.ts';
import { atMost, type Section } from '../section.ts';
import { collection, size } from '../workload.ts';
import { checkResponse, listLoad } from './loads.ts';
import { fastify, newDataFolder, ours, startOurs } from './servers.ts';

const MEBIBYTE = 2 ** 20;

/** Measures starts with the documents of the HTTP bench. */
export async function start(quick: boolean): Promise<Section> {
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
