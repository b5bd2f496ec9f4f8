import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, LockedError } from '../../files/errors.ts';
import { makeFolder } from '../../files/files.ts';
import { lockFile } from '../../files/lock.ts';
import type { CollectionDeclaration } from '../declaration.ts';
import { StoreFailedError, StoreFolderError, StoreLockedError } from '../errors.ts';
import { GroupCommit } from '../group-commit.ts';
import type { Commit, Store, StoreState } from '../store.ts';
import { backup } from './backup.ts';
import { begin, segmentsFolder } from './begin.ts';
import { Catalog, type MAX_SEGMENT } from './catalog.ts';
import { collectionIn } from './collection.ts';
import { Log } from './log.ts';
import { Manifest } from './manifest.ts';
import { Merger } from './merge.ts';
import { Reader } from './reader.ts';
import { recover, removeLeftovers } from './recovery.ts';
import { type Write, WriteBatch, type WriteResult } from './write-batch.ts';

export interface LowdbOptions {
  /** Called after every commit. Must not throw. */
  onCommit?(commit: Commit): void;
  /** Called with one line that an operator should know of, though the store goes on. */
  onWarning?(line: string): void;
  /** When a segment is full; tests make it small. */
  maxSegment?: typeof MAX_SEGMENT;
}

/**
 * The store in a folder of its own, made when it is not there: a Bitcask over lowdb. Rejects with a StoreLockedError,
 * StoreDamagedError or StoreFolderError, and has changed nothing then.
 */
export async function openLowdbStore(
  folder: string,
  collections: readonly CollectionDeclaration[],
  options: LowdbOptions = {},
): Promise<Store> {
  return withFolder(folder, async (unlock) => openLocked(folder, collections, unlock, options));
}

/** Locks the folder for work that ends by calling `unlock`; a failure unlocks it. System errors become errors of the store. */
export async function withFolder<T>(folder: string, work: (unlock: () => void) => Promise<T>): Promise<T> {
  let unlock = () => {};
  try {
    await makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    unlock = await lockFile(join(folder, 'lock'));
    return await work(unlock);
  } catch (error) {
    unlock();
    if (error instanceof LockedError) throw new StoreLockedError(join(folder, 'lock'));
    if (errorCode(error) === undefined || error instanceof StoreFolderError) throw error;
    const file = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : folder;
    throw new StoreFolderError(file, error);
  }
}

async function openLocked(
  folder: string,
  collections: readonly CollectionDeclaration[],
  unlock: () => void,
  options: LowdbOptions,
): Promise<Store> {
  const { onCommit = () => {}, onWarning = (line) => process.emitWarning(line) } = options;
  const data = await begin(folder, collections, onWarning);
  const segments = segmentsFolder(folder);
  const recovered = await recover(segments, data, new Catalog(collections, options.maxSegment));
  await access(segments, constants.R_OK | constants.W_OK | constants.X_OK);
  const { catalog, active, segment } = recovered;
  catalog.id = data.id;
  try {
    await active.resume();
    await removeLeftovers(segments, recovered);
  } catch (error) {
    await active.close();
    throw error;
  }
  if (recovered.tail > 0)
    onWarning(
      `${active.file}: its last ${recovered.tail} bytes are an unfinished commit; they are set aside, not read.`,
    );

  let lastNumber = recovered.lastNumber;
  const newNumber = () => ++lastNumber;
  const manifest = new Manifest(folder, data, () => ({ sequence: catalog.sequence, last: catalog.last }), onWarning);
  const merger = new Merger(segments, catalog, manifest, { newNumber, onWarning });
  const log = new Log(segments, catalog, merger, { segment, active, newNumber });
  const reader = new Reader(segments, catalog.segments);

  let state: StoreState = { status: 'open' };
  const commit = async (writes: Write[]): Promise<WriteResult[]> => {
    const batch = new WriteBatch(catalog, writes);
    try {
      if (batch.records.length > 0) await log.append(batch.records, batch.tags);
    } catch (error) {
      if (error instanceof StoreFailedError) {
        // The state of the disk is unknown, so nothing more is written to it.
        group.abort(new StoreFailedError(error.message, { cause: error }));
        if (state.status === 'open') state = { status: 'failed', reason: error.message };
      }
      throw error;
    }
    manifest.follow();
    return batch.results;
  };
  const group = new GroupCommit(commit, onCommit);
  if (catalog.sequence > data.sequence) manifest.follow();
  for (const one of recovered.full) merger.seal(one);
  merger.wake();

  const declared = new Map(collections.map((one) => [one.name, collectionIn(one, { catalog, reader, group })]));
  let closed: Promise<void> | undefined;
  const close = async () => {
    state = { status: 'closed' };
    await group.close();
    await merger.close();
    await log.close();
    await manifest.close();
    unlock();
  };
  return {
    passesJson: true,
    collection: (name) => {
      const found = declared.get(name);
      if (!found) throw new Error(`There is no collection '${name}'.`);
      return found;
    },
    ready: async () => state.status === 'open',
    state: () => state,
    backup: (to) => backup(folder, to),
    close: () => (closed ??= close()),
  };
}
