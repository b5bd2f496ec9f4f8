import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { decode, documentsIn } from '../../src/store/document.ts';
import type { Collection, Document, ListQuery, Properties } from '../../src/store/store.ts';

export async function contentOf(collection: Collection, id: number): Promise<Properties | undefined> {
  const document = await collection.get(id);
  return document && decode(document.json);
}

/** The documents of a page; every one is one line. */
export async function contents(collection: Collection, query: ListQuery): Promise<Properties[]> {
  const page = await collection.list({ maxBytes: Number.MAX_SAFE_INTEGER, ...query });
  const found = documentsIn(page);
  expect(found).toHaveLength(page.count);
  return found.map(decode);
}

/** All documents, ascending. */
export const everything = (collection: Collection) => contents(collection, { after: 0, limit: 10_000_000 });

const colors = ['red', 'green', 'blue', undefined];

export function addMany(collection: Collection, count: number, properties?: Properties): Promise<Document[]> {
  const one = (i: number) => ({ size: i, ...(colors[i % 4] && { color: colors[i % 4] }) });
  return Promise.all(Array.from({ length: count }, (_, i) => collection.create(properties ?? one(i))));
}

/** The files below a folder by path, without SQLite's lock file, which is empty. */
export function filesIn(folder: string): Map<string, Buffer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const files = paths.filter((path) => statSync(path).isFile() && relative(folder, path) !== 'lock').sort();
  return new Map(files.map((path) => [relative(folder, path), readFileSync(path)]));
}
