// Measures creates: without HTTP beside a loop that appends and syncs, and over HTTP beside a store in memory.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { openLowdbStore, type Store } from '@petstore/server';
import {
  atLeast,
  type Effort,
  inRotation,
  median,
  medianRatio,
  type Part,
  rateOf,
} from './measure.ts';
import { Peer, peerFile } from './peer.ts';
import { collection, fillFolder, newPet, size } from './pets.ts';
import { Rotation } from './rotation.ts';

/** Concurrent callers, as many as the connections of the load over HTTP. */
export const CALLERS = 64;

/** Measures how many pets callers create in a second. */
export function createRate(store: Store, callers: number, count: number): Promise<number> {
  const pets = store.collection(collection);
  let created = 0;
  const create = () => {
    created++;
    return pets.create(newPet(created));
  };
  return rateOf(create, callers, count);
}

/** Measures creates by one writer and by many, in stores with few and with many documents. */
export async function measureCreates(
  scratch: string,
  largeFolder: string,
  effort: Effort,
): Promise<Part> {
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
    loop: () => rateOf(appendAndSync, 1, few),
    one: () => createRate(small, 1, few),
    oneInLarge: () => createRate(large, 1, few),
    many: () => createRate(small, CALLERS, effort.requests),
    manyInLarge: () => createRate(large, CALLERS, effort.requests),
  };
  const rates = await inRotation('store: creates', subjects, effort.rounds);
  await file.close();
  await small.close();
  await large.close();
  const row = (writers: string, few: readonly number[], many: readonly number[]) => ({
    'creates a second, without HTTP': writers,
    [size.toLocaleString('en-US')]: median(few),
    [effort.documents.toLocaleString('en-US')]: median(many),
  });
  return {
    tables: [
      [
        row('one writer', rates.one, rates.oneInLarge),
        row(`${CALLERS} writers`, rates.many, rates.manyInLarge),
        row('the loop that appends and syncs', rates.loop, rates.loop),
      ],
    ],
    targets: [
      atLeast('one writer / the loop', medianRatio(rates.one, rates.loop), 0.85),
      atLeast('one writer: many documents / few', medianRatio(rates.oneInLarge, rates.one), 0.8),
      atLeast(
        `${CALLERS} writers: many documents / few`,
        medianRatio(rates.manyInLarge, rates.many),
        0.8,
      ),
    ],
  };
}

/** Measures creates over HTTP by a store that saves, and by one that does not. */
export async function measureOverHttp(effort: Effort): Promise<Part> {
  await using rotation = await Rotation.start({
    memory: (folder) => Peer.start(peerFile('store'), folder),
    lowdb: (folder) => Peer.start(peerFile('store'), folder, [folder]),
  });
  const shots = await rotation.measure('create', effort);
  const memory = shots.memory.map(({ perSecond }) => perSecond);
  const lowdb = shots.lowdb.map(({ perSecond }) => perSecond);
  return {
    tables: [
      [
        { 'creates a second, over HTTP': 'the store in a folder', measured: median(lowdb) },
        { 'creates a second, over HTTP': 'the store in memory', measured: median(memory) },
      ],
    ],
    targets: [atLeast('over HTTP: folder / memory', medianRatio(lowdb, memory), 0.7)],
  };
}
