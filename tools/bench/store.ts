// Measures the stores: creates, many documents, and PostgreSQL.
import { join } from 'node:path';
import { CALLERS, measureCreates, measureOverHttp } from './creates.ts';
import { measureFold, measureOpening } from './large-store.ts';
import { type Effort, newScratch, progress, type Section } from './measure.ts';
import { fillFolder, size } from './pets.ts';
import { measurePostgres } from './postgres.ts';

export async function store(effort: Effort): Promise<Section> {
  using scratch = newScratch();
  const large = join(scratch.path, 'large');
  progress(`store: creating ${effort.documents} documents`);
  await fillFolder(large, effort.documents);
  const parts = [
    await measureCreates(scratch.path, large, effort),
    await measureOverHttp(effort),
    await measureOpening(large, effort),
    await measureFold(large, effort),
    await measurePostgres(scratch.path, effort),
  ];
  const few = size.toLocaleString('en-US');
  const many = effort.documents.toLocaleString('en-US');
  return {
    title: 'The stores',
    comparisons: [
      'One writer waits for each of its creates, so it cannot be faster than a loop that appends a line with the same document to a file on the same disk, and syncs it.',
      `A store with ${many} documents is compared with one that has ${few}: if no cost grows with the documents, a create costs the same.`,
      `Over HTTP, ${CALLERS} connections create pets, on our app with the store in a folder, and on the same app with the store in memory, which saves nothing.`,
      'The longest stop is the longest time for which the event loop did not run: with the same writers, while the journal becomes a new snapshot, and while it does not.',
      `pgbench inserts and selects the same rows in the same database over ${CALLERS} connections. It does nothing else, so it shows what the database can do.`,
      `All but the longest stops are medians of ${effort.rounds} rounds.`,
    ],
    tables: parts.flatMap(({ tables }) => tables),
    targets: parts.flatMap(({ targets }) => targets),
  };
}
