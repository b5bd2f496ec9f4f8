import { randomInt } from 'node:crypto';
import { MAX_PAGE_BYTES } from '../../limits.ts';
import { type CollectionDeclaration, encodeBody, obstacleTo, storedDocument, withId } from '../document.ts';
import { IdempotencyMismatchError, NoIdLeftError, StoreUnavailableError } from '../errors.ts';
import { GroupCommit } from '../group-commit.ts';
import type { Collection, Commit, Document, Idempotency, NotWritten, Properties, Removed } from '../store.ts';
import { isKeyTaken, isOutOfIds, isRejection, uncertain } from './errors.ts';
import type { Read } from './group-read.ts';
import type { RunCommit } from './idempotent-commit.ts';
import { keyOf } from './schema.ts';
import type { Row } from './session.ts';
import { resultOf, statementsOf } from './statements.ts';

/**
 * A write that waits for its commit. A write without `id` creates a document, a write without `body` removes the document, any
 * other replaces it.
 */
interface Write {
  readonly id?: number;
  /** The other properties as JSON. */
  readonly body?: string;
  readonly ifVersion?: string | undefined;
  readonly idempotency?: Idempotency | undefined;
}

/** The result of a write that was omitted, because its idempotency key is known. */
const KNOWN = { outcome: 'known' } as const;

type WriteResult = Document | Removed | NotWritten | typeof KNOWN;

/**
 * The number of times that a commit is sent if other servers store its keys first. The next attempt finds these keys known, so
 * it omits their writes.
 */
const MAX_ATTEMPTS = 5;

const VERSION = /^[1-9]\d{0,14}$/;
/** The version that replaces a malformed `ifVersion`. No document has it. */
const NO_VERSION = '0';

/** A collection that groups its reads into statements and its writes into commits. */
export function postgresCollection(
  declaration: CollectionDeclaration,
  read: Read,
  runCommit: RunCommit,
  onCommit: (commit: Commit) => void,
  onKeysStored: (count: number) => void,
): Collection & { close(): Promise<void> } {
  const statements = statementsOf(declaration);
  const bodyOf = (properties: Properties) => encodeBody(declaration.id, properties);
  const textOf = (id: number, body: string) => withId(declaration.id, id, body);
  const group = new GroupCommit<Write, WriteResult>(commit, {
    onCommit,
    // A statement can change a document only once, and store a key only once.
    keysOf: ({ id, idempotency }) => [...(id === undefined ? [] : [id]), ...(idempotency ? [idempotency.key] : [])],
    isCausedByOneWrite: isRejection,
  });
  const add = async <R>(write: Write): Promise<R> => {
    for (;;) {
      const result = await group.add(write, write.body?.length ?? 0).catch((cause: unknown) => {
        throw isOutOfIds(cause) ? new NoIdLeftError({ cause }) : cause;
      });
      // Each kind of write has its own kind of result.
      if (result !== KNOWN) return result as R;
      const replayed = await replay(write.idempotency);
      if (replayed) return replayed as R;
    }
  };
  let isClosed = false;

  return {
    create: async (properties, { idempotency } = {}) => add<Document>({ body: bodyOf(properties), idempotency }),
    replace: async (id, properties, options) => add({ ...options, id, body: bodyOf(properties) }),
    remove: async (id, options) => add({ ...options, id }),
    restore: async (documents) => {
      if (isClosed) throw new StoreUnavailableError('The store is closed.');
      const ids = documents.map((one) => Number(one[declaration.id]));
      if (ids.length === 0) return true;
      const texts = documents.map((one, i) => textOf(ids[i] ?? 0, bodyOf(one)));
      const values = [newVersion(), ids.at(-1), ids[0], ids, `[${texts.join(',')}]`];
      return (await runCommit(statements.restore, values)) !== undefined;
    },
    get: async (id) => {
      const [version, text] = await read(statements.get, [id]);
      return typeof text === 'string' ? storedDocument(id, String(version), text, 'utf8') : undefined;
    },
    list: async ({ after, filter, limit, maxBytes = MAX_PAGE_BYTES }) => {
      const statement = filter ? statements.lists.get(filter.property) : statements.list;
      if (!statement) throw new Error(`There is no index on '${filter?.property}'.`);
      const values = [after, limit, maxBytes, ...(filter ? [keyOf(filter.value)] : [])];
      const [count, last, more, text] = await read(statement, values);
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
    const keyed = writes.filter(({ idempotency }) => idempotency);
    const version = newVersion();
    const ifVersions = changes.map(({ ifVersion }) =>
      ifVersion === undefined || VERSION.test(ifVersion) ? ifVersion : NO_VERSION,
    );
    const texts = changes.map(({ id = 0, body }) => (body === undefined ? null : textOf(id, body)));
    const createValues = [version, created.length, `[${created.map(({ body }) => body).join(',')}]`];
    const writeValues = [...createValues, changes.map(({ id }) => id), ifVersions, JSON.stringify(texts)];
    const row = await (keyed.length > 0
      ? commitWithKeys([...writeValues, ...keyValuesOf(created), ...keyValuesOf(changes)])
      : changes.length > 0
        ? runCommit(statements.write, writeValues)
        : runCommit(statements.create, createValues));
    const [before, versions] = row as [before: string, versions: (string | null)[] | null];
    const known = new Set(keyed.length > 0 ? await knownOf(row, keyed, version) : []);
    onKeysStored(keyed.length - known.size);
    const stored = (id: number, body: string) => storedDocument(id, String(version), textOf(id, body), 'utf8');
    const foundVersions = (versions ?? []).values();
    let last = Number(before);
    return writes.map(({ id, body, ifVersion, idempotency }) => {
      const isKnown = idempotency !== undefined && known.has(idempotency.key);
      if (id === undefined) return isKnown ? KNOWN : stored(++last, body ?? '');
      const foundVersion = foundVersions.next().value ?? undefined;
      if (isKnown) return KNOWN;
      const obstacle = obstacleTo(foundVersion, ifVersion);
      return obstacle ?? (body === undefined ? { outcome: 'removed' } : stored(id, body));
    });
  }

  /** Commits writes with idempotency keys. */
  async function commitWithKeys(values: readonly unknown[]): Promise<Row | undefined> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runCommit(statements.writeOnce, values);
      } catch (error) {
        if (!isKeyTaken(error) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /**
   * The keys of a commit that were known before it. If its response was lost, `row` lacks them, so each key is looked up: it was known
   * if another commit has stored it. A change whose key is not found had no effect, or its key was evicted.
   */
  async function knownOf(row: Row | undefined, keyed: readonly Write[], version: number): Promise<readonly string[]> {
    // The row of `writeOnce` is: before, versions, a check, the known keys, a check. The row of `outcome` ends after versions.
    if (row && row.length > 2) return row[3] as string[];
    const rows = await Promise.all(keyed.map(({ idempotency }) => read(resultOf, [idempotency?.key]))).catch(
      (error: unknown) => {
        throw uncertain(error);
      },
    );
    const found = keyed.map(({ id, idempotency }, i) => ({ id, key: idempotency?.key ?? '', version: rows[i]?.[2] }));
    // Whether the commit created this document decides the identifiers of the following ones.
    if (found.some((one) => one.id === undefined && one.version === null))
      throw uncertain(new Error('an idempotency key was evicted before its commit was looked up'));
    return found.filter((one) => one.version !== null && one.version !== String(version)).map(({ key }) => key);
  }

  /** Returns the result of the write with this key; undefined if the key was removed meanwhile. */
  async function replay(idempotency: Idempotency | undefined): Promise<Document | Removed | undefined> {
    const [fingerprint, id, version, text] = await read(resultOf, [idempotency?.key]);
    if (typeof fingerprint !== 'string') return undefined;
    if (fingerprint !== idempotency?.fingerprint) throw new IdempotencyMismatchError();
    if (typeof text !== 'string') return { outcome: 'removed', isReplayed: true };
    return { ...storedDocument(Number(id), String(version), text, 'utf8'), isReplayed: true };
  }
}

/** The idempotency keys and the fingerprints of writes, null for writes without a key. */
function keyValuesOf(writes: readonly Write[]): (string | null)[][] {
  return [
    writes.map(({ idempotency }) => idempotency?.key ?? null),
    writes.map(({ idempotency }) => idempotency?.fingerprint ?? null),
  ];
}

/** The version of a commit's documents. It is random, so a database restored from a backup does not repeat versions. */
const newVersion = () => randomInt(1, 2 ** 48 - 1);
