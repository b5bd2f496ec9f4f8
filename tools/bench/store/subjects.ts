import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { openLowdbStore, type Store } from '@petstore/server';
import { JSONFilePreset } from 'lowdb/node';
import { fill } from '../fixtures.ts';
import { added, collection, documents, newDocument } from '../workload.ts';

/** Somewhere that documents can be created in. */
export interface Subject {
  create(): Promise<unknown>;
  close(): Promise<void>;
}

let made = 0;

/** A line of the length of a commit of one document. */
const line = Buffer.from(`${JSON.stringify({ crc32: 1_234_567_890, [collection]: [{ id: 1_234_567, ...added }] })}\n`);

/** What durability costs at least: the line, and the sync, without blocking the event loop. */
export async function bareLoop(folder: string): Promise<Subject> {
  const handle = await open(join(folder, 'bare'), 'w');
  let end = 0;
  return {
    create: async () => {
      await handle.write(line, 0, line.length, end);
      await handle.datasync();
      end += line.length;
    },
    close: () => handle.close(),
  };
}

/** The same with the event loop standing still meanwhile: nothing else could be served. */
export async function bareBlockingLoop(folder: string): Promise<Subject> {
  const file = openSync(join(folder, 'bare-blocking'), 'w');
  let end = 0;
  return {
    create: async () => {
      writeSync(file, line, 0, line.length, end);
      fdatasyncSync(file);
      end += line.length;
    },
    close: async () => closeSync(file),
  };
}

/** What most programs do with lowdb. */
export async function naiveLowdb(folder: string, size: number): Promise<Subject> {
  const db = await JSONFilePreset<{ id: number }[]>(join(folder, 'naive.json'), documents(size));
  await db.write();
  return {
    create: async () => {
      db.data.push({ id: db.data.length + 1, ...newDocument(++made) });
      await db.write();
    },
    close: async () => {},
  };
}

/** Our store with so many documents in it. */
export async function ourStore(folder: string, size: number): Promise<Subject & { store: Store }> {
  const store = await openLowdbStore(folder);
  await fill(store, size);
  return { create: () => store.collection(collection).create(newDocument(++made)), close: () => store.close(), store };
}

/** Half of what is done to it creates, two fifths replace, one tenth removes; the measures call all of that `create`. */
export function mixedWrites(store: Store, size: number): Subject {
  const stored = store.collection(collection);
  let turn = 0;
  const anyId = () => 1 + Math.floor(Math.random() * size);
  const create = (): Promise<unknown> => {
    const place = turn++ % 10;
    if (place < 5) return stored.create(newDocument(++made));
    return place < 9 ? stored.replace(anyId(), newDocument(++made)) : stored.remove(anyId());
  };
  return { create, close: async () => {} };
}

/** Replaces every one of so many documents, one after the other. */
export function rewrites(store: Store, size: number): Subject {
  const stored = store.collection(collection);
  let turn = 0;
  return { create: () => stored.replace(1 + (turn++ % size), newDocument(++made)), close: async () => {} };
}
