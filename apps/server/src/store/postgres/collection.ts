import { randomInt } from 'node:crypto';
import type { CollectionDeclaration } from '../declaration.ts';
import { encode, withId, withoutId } from '../document.ts';
import { StoreUnavailableError } from '../errors.ts';
import { GroupCommit } from '../group-commit.ts';
import {
  type Collection,
  type Commit,
  DEFAULT_PAGE_BYTES,
  type Document,
  type NotWritten,
  type Removed,
} from '../store.ts';
import type { Commits } from './commits.ts';
import { isRejection } from './errors.ts';
import type { GroupRead } from './group-read.ts';
import { keyOf } from './schema.ts';
import { statementsOf } from './statements.ts';

/** A write that waits for its commit. Without an identifier it creates a document, without a body it removes one. */
interface Write {
  readonly id?: number;
  /** The JSON of the other properties. */
  readonly body?: string;
  readonly ifVersion?: string | undefined;
}

type WriteResult = Document | Removed | NotWritten;

/** A collection whose reads share statements, and whose writes share commits. */
export function collectionIn(
  declaration: CollectionDeclaration,
  reads: GroupRead,
  commits: Commits,
  onCommit: (commit: Commit) => void,
): Collection & { close(): Promise<void> } {
  const statements = statementsOf(declaration);
  const bodyOf = (properties: object) => encode(withoutId(declaration.id, { ...properties }));
  const textOf = (id: number, body: string) => withId(declaration.id, id, body);
  const group = new GroupCommit<Write, WriteResult>(commit, onCommit, {
    // One statement changes a document once.
    keyOf: ({ id }) => id,
    isRejection,
  });
  const add = <R>(write: Write) => group.add(write, write.body?.length ?? 0) as Promise<R>;
  let isClosed = false;

  return {
    create: async (properties) => add<Document>({ body: bodyOf(properties) }),
    replace: async (id, properties, { ifVersion } = {}) => add({ id, body: bodyOf(properties), ifVersion }),
    remove: async (id, { ifVersion } = {}) => add({ id, ifVersion }),
    restore: async (documents) => {
      if (isClosed) throw new StoreUnavailableError('The store is closed.');
      const ids = documents.map((one) => Number(one[declaration.id]));
      if (ids.length === 0) return true;
      const texts = documents.map((one, i) => textOf(ids[i] ?? 0, bodyOf(one)));
      const values = [newVersion(), ids.at(-1), ids[0], ids, `[${texts.join(',')}]`];
      return (await commits.commit(statements.restore, values)) !== undefined;
    },
    get: async (id) => {
      const [version, text] = await reads.read(statements.get, [id]);
      return typeof text === 'string' ? documentOf(id, String(version), text) : undefined;
    },
    list: async ({ after, filter, limit, maxBytes = DEFAULT_PAGE_BYTES }) => {
      const statement = filter ? statements.lists.get(filter.property) : statements.list;
      if (!statement) throw new Error(`There is no index on '${filter?.property}'.`);
      const values = [after, limit, maxBytes, ...(filter ? [keyOf(filter.value)] : [])];
      const [count, last, more, text] = await reads.read(statement, values);
      const json = { text: `[${text}]`, encoding: 'utf8' } as const;
      return { json, count: Number(count), last: Number(last), more: more === true };
    },
    version: () => undefined,
    close: () => {
      isClosed = true;
      return group.close();
    },
  };

  async function commit(writes: Write[]): Promise<WriteResult[]> {
    const created = writes.filter(({ id }) => id === undefined);
    const changes = writes.filter(({ id }) => id !== undefined);
    const version = newVersion();
    const creates = [version, created.length, `[${created.map(({ body }) => body).join(',')}]`];
    const ifVersions = changes.map(({ ifVersion }) => ifVersion && (VERSION.test(ifVersion) ? ifVersion : NO_VERSION));
    const texts = changes.map(({ id = 0, body }) => (body === undefined ? null : textOf(id, body)));
    const row = await (changes.length === 0
      ? commits.commit(statements.create, creates)
      : commits.commit(statements.write, [...creates, changes.map(({ id }) => id), ifVersions, JSON.stringify(texts)]));
    const [before, versions] = row as [before: string, versions: (string | null)[] | null];
    const stored = (id: number, body: string) => documentOf(id, String(version), textOf(id, body));
    const found = (versions ?? []).values();
    let last = Number(before);
    return writes.map(({ id, body, ifVersion }) => {
      if (id === undefined) return stored(++last, body ?? '');
      const current = found.next().value ?? undefined;
      if (current === undefined) return { outcome: 'missing' };
      if (ifVersion !== undefined && ifVersion !== current) return { outcome: 'conflict' };
      return body === undefined ? { outcome: 'removed' } : stored(id, body);
    });
  }
}

/** All documents of a commit have one version. It is random: a database that was restored from a backup repeats none. */
const newVersion = () => randomInt(1, 2 ** 48 - 1);
const VERSION = /^[1-9]\d{0,14}$/;
const NO_VERSION = '0';

function documentOf(id: number, version: string, text: string): Document {
  return { outcome: 'stored', id, version, json: { text, encoding: 'utf8' } };
}
