/**
 * Compares the shipped server with one whose spec has 200 more operations: `node tools/bench/http/operations.ts [--quick]`.
 */
import { join } from 'node:path';
import { parse } from 'yaml';
import { copyOfRepository } from '../../test/repository-copy.ts';
import { pinned } from '../process.ts';
import { rounded } from '../rounds.ts';
import { alone, type Section } from '../section.ts';
import { get, list } from '../workload.ts';
import { loads } from './loads.ts';
import { measure, medianOf, type Rounds, shareOf, withServers } from './measure.ts';
import { copied, type Data, startOurs } from './subjects.ts';

const more = 200;

type Paths = Record<string, { get: { operationId: string } }>;

/** Measures both servers. */
export async function operationCount(quick: boolean): Promise<Section> {
  const times = quick ? { rounds: 5, milliseconds: 250, warmUp: 1000 } : { rounds: 9, milliseconds: 500, warmUp: 2000 };
  const copy = copyOfRepository();
  try {
    copy.change('spec/openapi.yaml', (text) => text.replace(/^components:$/m, `${morePaths(parse(text).paths)}\n$&`));
    copy.change('apps/server/src/handlers.ts', withMoreHandlers);
    copy.generate();
    const mains = { shipped: undefined, grown: join(copy.folder, 'apps/server/src/main.js') };
    const servers = Object.entries(mains).map(([name, main]) => ({
      name,
      start: (data: Data) => startOurs(copied(data, name), data.scratch, main),
    }));
    const measured = await withServers(servers, async (running, generator) => {
      const all = [];
      for (const load of loads) all.push({ load: load.name, rounds: await measure(load, running, generator, times) });
      return all;
    });
    return {
      title: 'The number of operations',
      how: `CPU time per request of the shipped server, and of one with ${more} more operations in its spec, in alternation; ${pinned}.`,
      tables: [
        {
          rows: measured.map(({ load, rounds }) => ({
            load,
            'CPU µs, shipped spec': rounded(medianOf(rounds, 'shipped', 'cpu'), 1),
            [`CPU µs, ${more} operations more`]: rounded(medianOf(rounds, 'grown', 'cpu'), 1),
            ratio: rounded(costOf(rounds)),
          })),
        },
      ],
      targets: measured.map(({ load, rounds }) => ({
        what: `${load}: cost with ${more} operations more`,
        measured: costOf(rounds),
        kind: 'at most',
        bound: 1.05,
      })),
    };
  } finally {
    copy.remove();
  }
}

const costOf = (rounds: Rounds) => 1 / shareOf(rounds, 'grown', 'shipped');

/** Copies of the operations that list and get, under other names and paths. JSON is YAML. */
function morePaths(paths: Paths): string {
  const copyOf = (path: string, n: number) => ({
    get: { ...paths[path]?.get, operationId: `${paths[path]?.get.operationId}${n}` },
  });
  return Array.from({ length: more / 2 }, (_, n) =>
    [list.path, get.path]
      .map((path) => `  /things${n}${path.slice(list.path.length)}: ${JSON.stringify(copyOf(path, n))}`)
      .join('\n'),
  ).join('\n');
}

/** What is added is answered by one handler for all, whose type only the generated `Api` of the copy has. */
function withMoreHandlers(text: string): string {
  return `${text.replace('export function handlers(', 'function shippedHandlers(')}
import { operations as all } from '@petstore/types';
export const handlers = (store: Store): Api => ({
  ...(Object.fromEntries(Object.keys(all).map((id) => [id, async () => []])) as unknown as Api),
  ...shippedHandlers(store),
});
`;
}

await alone(import.meta, operationCount);
