import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFile, isFolder, makeFolder, readWhole, removeFile, syncFolder } from '../../files/files.ts';
import { type CollectionDeclaration, collectionNamed } from '../document.ts';
import { NoIdLeftError, StoreDamagedError, StoreFailedError } from '../errors.ts';
import { GroupCommit } from '../group-commit.ts';
import { type Commit, MAX_IDEMPOTENCY_KEYS, type Store } from '../store.ts';
import { Catalog, segmentFile } from './catalog.ts';
import { collectionIn, type Write, writeBatch } from './collection.ts';
import { lockedFolder } from './folder-lock.ts';
import { idempotentWrites } from './idempotency.ts';
import { openLog } from './log.ts';
import {
  type ManifestData,
  manifestFile,
  newManifest,
  openManifest,
  readManifest,
  segmentsFolder,
  writeManifest,
} from './manifest.ts';
import { openMerger } from './merge.ts';
import { reader } from './reader.ts';
import { recover } from './recovery.ts';

export interface LowdbOptions {
  /** Called after every commit. Must not throw. */
  onCommit?(commit: Commit): void;
  /** Called with a line for the operator about a problem that does not stop the store. */
  onWarning?(line: string): void;
  /** The size of a full segment: its bytes, plus a constant per record (see `costOf`). Tests set a small one. */
  maxSegment?: number;
  /** The largest number of idempotency keys, which are stored for 24 hours. */
  maxIdempotencyKeys?: number;
  /** The clock for the expiry of these keys. Tests set it. */
  now?: () => number;
}

/** The time between two sweeps of the idempotency keys. */
const SWEEP_MS = 60_000;

/**
 * Opens the store in a folder, which it creates if needed: a log-structured store (Bitcask) whose sealed segments are lowdb
 * files. Rejects with a StoreLockedError, StoreDamagedError or StoreFolderError, without changing documents.
 */
export async function openLowdbStore(
  folder: string,
  collections: readonly CollectionDeclaration[],
  { onWarning = (line) => process.emitWarning(line), ...rest }: LowdbOptions = {},
): Promise<Store> {
  const options = { onWarning, ...rest };
  return lockedFolder(folder, (unlock) => openLocked(folder, collections, options, unlock));
}

async function openLocked(
  folder: string,
  collections: readonly CollectionDeclaration[],
  options: LowdbOptions & Required<Pick<LowdbOptions, 'onWarning'>>,
  unlock: () => void,
): Promise<Store> {
  const { onCommit, onWarning, maxSegment, maxIdempotencyKeys = MAX_IDEMPOTENCY_KEYS, now = Date.now } = options;
  const catalog = new Catalog(segmentsFolder(folder), collections, maxSegment);
  const data = (await readManifest(folder)) ?? (await createStore(folder, catalog.folder));
  const { active, tail, leftovers } = await recover(data, catalog);
  await access(catalog.folder, constants.R_OK | constants.W_OK | constants.X_OK);
  // A killed server may not have synced the rename of this manifest. A power cut could still bring back the former one, which needs the leftovers.
  await syncFolder(folder);
  const manifest = openManifest(folder, catalog, data, onWarning);
  const merger = openMerger(catalog, manifest, onWarning);

  let hasFailed = false;
  const isCausedByOneWrite = (error: unknown) => error instanceof NoIdLeftError;
  const group = new GroupCommit(commit, { onCommit, isCausedByOneWrite });
  const parts = { catalog, readTexts: reader(catalog), group };
  const idempotent = idempotentWrites(parts, maxIdempotencyKeys, now);
  await idempotent.load();
  for (const name of leftovers) await removeFile(join(catalog.folder, name));
  // This is the last step that can fail. Before it no file is open, and after it the merger and the timers start.
  const log = await openLog(catalog, active, tail, merger.seal);
  merger.seal().catch(() => {});
  manifest.saveSoon();
  const sweeping = setInterval(idempotent.sweep, SWEEP_MS).unref();
  if (tail.length > 0) {
    const file = catalog.fileOf(active);
    onWarning(
      `${file}: its last ${tail.length} bytes are an unfinished commit and are ignored; the next write moves them aside.`,
    );
  }

  const declared = new Map(collections.map((declaration) => [declaration.name, collectionIn(declaration, parts)]));
  let closed: Promise<void> | undefined;
  return {
    collection: (name) => collectionNamed(declared, name),
    ready: async () => closed === undefined && !hasFailed,
    hasFailed: () => hasFailed,
    idempotency: idempotent.state,
    close: () => (closed ??= close()),
  };

  async function commit(writes: Write[]): Promise<unknown[]> {
    const batch = writeBatch(catalog);
    try {
      const results = idempotent.write(batch, writes);
      if (batch.records.length > 0) await log.append(batch.records);
      manifest.saveSoon();
      return idempotent.afterCommit(results);
    } catch (error) {
      idempotent.afterFailure();
      if (error instanceof StoreFailedError) {
        // The state of the disk is unknown, so writing stops.
        group.abort(new StoreFailedError(error.message, { cause: error }));
        void merger.close();
        hasFailed = true;
      }
      throw error;
    }
  }

  async function close(): Promise<void> {
    clearInterval(sweeping);
    await group.close();
    await merger.close();
    await log.close();
    await manifest.close();
    unlock();
  }
}

/** Creates the files of a new store. The manifest comes last, so after a crash the files are created again. */
async function createStore(folder: string, segments: string): Promise<ManifestData> {
  const manifest = newManifest();
  const first = join(segments, segmentFile(manifest.unsealed.segment, 'jsonl'));
  // An interrupted run may have left an empty segment. Any other segment means that the manifest was lost.
  if (await isFolder(segments))
    for (const name of await readdir(segments))
      if ((await readWhole(join(segments, name))).length > 0)
        throw new StoreDamagedError(manifestFile(folder), 'the file is missing, though there are segments');
  await makeFolder(segments);
  await removeFile(first);
  await (await createFile(first)).close();
  await syncFolder(segments);
  await syncFolder(folder);
  await writeManifest(folder, manifest);
  return manifest;
}
