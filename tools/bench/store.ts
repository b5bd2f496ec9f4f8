// Measures the stores: creates, a store of many documents, and PostgreSQL's.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { openLowdbStore } from '@petstore/server';
import { measureFold, measureOpening } from './large-store.ts';
import { compare, type Effort, joined, newScratch, type Part, progress } from './measure.ts';
import { peer } from './peer.ts';
import { CONCURRENCY, createRate, fillFolder, newPet, PET_COUNT, rateOf } from './pets.ts';
import { measurePostgres } from './postgres.ts';
import { Rotation } from './rotation.ts';

export async function store(effort: Effort): Promise<Part> {
  using scratch = newScratch();
  const large = join(scratch.path, 'large');
  progress(`creating ${effort.documents} documents`);
  await fillFolder(large, effort.documents);
  return joined([
    await measureCreates(scratch.path, large, effort),
    await measureOverHttp(effort),
    await measureOpening(large, effort),
    await measureFold(large, effort),
    await measurePostgres(scratch.path, effort),
  ]);
}

/** Measures creates by one writer and by many, in a store of few documents and in one of many. */
async function measureCreates(scratch: string, largeFolder: string, effort: Effort): Promise<Part> {
  const smallFolder = join(scratch, 'small');
  await fillFolder(smallFolder, PET_COUNT);
  const small = await openLowdbStore(smallFolder);
  const large = await openLowdbStore(largeFolder);
  const file = await open(join(scratch, 'bare'), 'a');
  const line = `${JSON.stringify({ id: PET_COUNT, ...newPet(PET_COUNT) })}\n`;
  const appendAndSync = async () => {
    await file.write(line);
    await file.datasync();
  };
  const fromFew = `from ${PET_COUNT.toLocaleString('en-US')} documents`;
  const fromMany = `from ${effort.documents.toLocaleString('en-US')} documents`;
  const syncs = effort.requests / 20;
  const creates = effort.requests / 4;
  const oneWriter = {
    'append and sync': { measure: () => rateOf(appendAndSync, 1, syncs) },
    [fromFew]: { measure: () => createRate(small, 1, syncs), atLeast: 0.85 },
    [fromMany]: { measure: () => createRate(large, 1, syncs), atLeast: 0.85 },
  };
  const manyWriters = {
    [fromFew]: { measure: () => createRate(small, CONCURRENCY, creates) },
    [fromMany]: { measure: () => createRate(large, CONCURRENCY, creates), atLeast: 0.8 },
  };
  try {
    return joined([
      await compare('creates a second by one writer', oneWriter, effort),
      await compare(`creates a second by ${CONCURRENCY} writers`, manyWriters, effort),
    ]);
  } finally {
    await file.close();
    await small.close();
    await large.close();
  }
}

/** Measures creates over HTTP in a store that saves, beside one that does not. */
async function measureOverHttp(effort: Effort): Promise<Part> {
  await using rotation = await Rotation.start({
    memory: peer('store', 'memory'),
    folder: peer('store'),
  });
  const rate = async (name: 'memory' | 'folder') => {
    const { perSecond } = await rotation.sample(name, 'create', effort);
    return perSecond;
  };
  const subjects = {
    'store in memory': { measure: () => rate('memory') },
    'store in a folder': { measure: () => rate('folder'), atLeast: 0.7 },
  };
  return await compare('creates a second over HTTP', subjects, effort);
}
