/**
 * How long servers take from their start to their first answer, and what memory they have then:
 * `node tools/bench/startup.ts [--quick]`.
 */
import { join } from 'node:path';
import { fillFolder, withScratch } from './fixtures.ts';
import { checkAnswer } from './http/load.ts';
import { loads } from './http/loads.ts';
import { prepareData, startOurs, subjectsNamed } from './http/subjects.ts';
import { pinned, type Server } from './process.ts';
import { inRounds, median, rounded } from './rounds.ts';
import { alone, type Section } from './section.ts';
import { collection, documents, size } from './workload.ts';

/** Measures starts with the documents of the HTTP bench, and ours with many as well. */
export async function startup(quick: boolean): Promise<Section> {
  const [rounds, many] = quick ? [3, 100_000] : [9, 1_000_000];
  const list = loads[0];
  if (!list) throw new Error('There is no load.');
  const right = documents();
  return withScratch(async (scratch) => {
    const data = await prepareData(scratch);
    const manyFolder = join(scratch, 'many');
    await fillFolder(manyFolder, many);
    const starts: { name: string; count: number; start: () => Promise<Server> }[] = [
      ...subjectsNamed(['bare', 'fastify', 'straightforward']).map(({ name, start }) => ({
        name,
        count: size,
        start: () => start(data),
      })),
      { name: 'ours', count: size, start: () => startOurs(data.folder, scratch) },
      { name: 'ours', count: many, start: () => startOurs(manyFolder, scratch) },
    ];
    const measured = await inRounds(starts, rounds, async ({ start }) => {
      const started = performance.now();
      const server = await start();
      try {
        await checkAnswer(server, list, right);
        const milliseconds = performance.now() - started;
        return { milliseconds, ...(await server.usage()) };
      } finally {
        await server.stop();
      }
    });
    return {
      title: 'Starting',
      how: `Time, CPU and memory from the start of the process to its first correct response; medians of ${rounds} starts; ${pinned}.`,
      tables: [
        {
          rows: [...measured].map(([{ name, count }, all]) => ({
            server: name,
            [collection]: count,
            ms: Math.round(median(all.map(({ milliseconds }) => milliseconds))),
            'ms CPU': Math.round(median(all.map(({ cpu }) => cpu)) / 1000),
            'resident MiB': rounded(median(all.map(({ rss }) => rss)) / 2 ** 20, 0),
          })),
        },
      ],
    };
  });
}

await alone(import.meta, startup);
