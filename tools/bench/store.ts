// Measures the stores: creates beside a loop that appends and syncs, a store of many documents, and PostgreSQL's beside pgbench.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openLowdbStore, type Store } from '@petstore/server';
import {
  type Effort,
  inRotation,
  median,
  medianRatio,
  newScratch,
  progress,
  rateOf,
  type Section,
  type Table,
  type Target,
} from './measure.ts';
import { Peer, peerFile } from './peer.ts';
import { collection, fillFolder, newPet, size } from './pets.ts';
import { measurePostgres } from './postgres.ts';
import { Rotation } from './rotation.ts';

/** What one of the measurements adds to the section. */
export interface Part {
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
}

/** Concurrent writers. */
export const WRITERS = 64;

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
  return {
    title: 'The stores',
    comparisons: [
      'One writer waits for each create, so it cannot be faster than a loop that appends a line with the same document to a file on the same disk and syncs it.',
      `A store with ${effort.documents.toLocaleString('en-US')} documents is compared with one of ${size.toLocaleString('en-US')}: a create costs the same in both if nothing grows with the documents.`,
      `Over HTTP, ${WRITERS} connections create on our app with the store in a folder, and on the same app with a store in memory that saves nothing.`,
      'The longest stop is the longest time for which the event loop did not run, while the journal is folded into a new snapshot, and while it is not: under the same load.',
      `pgbench inserts and selects the same rows in the same database over ${WRITERS} connections, and does nothing else.`,
      `Medians of ${effort.rounds} rounds.`,
    ],
    tables: parts.flatMap(({ tables }) => tables),
    targets: parts.flatMap(({ targets }) => targets),
  };
}

/** A call that creates the next pet. */
export function creating(store: Store): () => Promise<unknown> {
  const pets = store.collection(collection);
  let created = 0;
  return () => {
    created++;
    return pets.create(newPet(created));
  };
}

async function measureCreates(scratch: string, largeFolder: string, effort: Effort): Promise<Part> {
  const smallFolder = join(scratch, 'small');
  await fillFolder(smallFolder, size);
  const small = await openLowdbStore(smallFolder);
  const large = await openLowdbStore(largeFolder);
  const file = await open(join(scratch, 'bare'), 'a');
  const line = `${JSON.stringify({ id: size, ...newPet(size) })}\n`;
  const appendAndSync = async () => {
    await file.write(line);
    await file.datasync();
  };
  const few = effort.requests / 20;
  const subjects = {
    'append and sync': () => rateOf(appendAndSync, 1, few),
    'one writer': () => rateOf(creating(small), 1, few),
    'one writer, many documents': () => rateOf(creating(large), 1, few),
    [`${WRITERS} writers`]: () => rateOf(creating(small), WRITERS, effort.requests),
    [`${WRITERS} writers, many documents`]: () => rateOf(creating(large), WRITERS, effort.requests),
  };
  const rates = await inRotation('store: creates', subjects, effort.rounds);
  await file.close();
  await small.close();
  await large.close();
}
