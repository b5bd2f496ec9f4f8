import { randomInt } from 'node:crypto';
import type { CollectionDeclaration } from '../declaration.ts';
import { withId } from '../document.ts';
import { GroupCommit } from '../group-commit.ts';
import type { Commit, Document, NotWritten, Removed } from '../store.ts';
import type { Commits } from './commits.ts';
import { isRejection } from './errors.ts';
import type { CollectionStatements } from './statements.ts';

/** A write that waits for its commit, with the JSON of the document's other properties; none where it is removed. */
export type Write =
  | { readonly kind: 'create'; readonly body: string }
  | { readonly kind: 'change'; readonly id: number; readonly body: string | undefined; readonly ifVersion?: string };

export type WriteResult = Document | Removed | NotWritten;

/** Commits the writes to a collection that arrive together in one statement. */
export function groupedWrites(
  declaration: CollectionDeclaration,
  statements: CollectionStatements,
  commits: Commits,
  onCommit: (commit: Commit) => void,
): GroupCommit<Write, WriteResult> {
  const commit = async (writes: Write[]): Promise<WriteResult[]> => {
    const created = writes.filter((write) => write.kind === 'create');
    const changes = writes.filter((write) => write.kind === 'change');
    const texts = changes.map(({ id, body }) => (body === undefined ? undefined : withId(declaration.id, id, body)));
    const version = newVersion();
    const row = await commits.commit(statements.write, [
      version,
      created.length,
      `[${created.map(({ body }) => body).join(',')}]`,
      changes.map(({ id }) => id),
      changes.map(({ ifVersion }) => ifVersion && (isVersion(ifVersion) ? ifVersion : NO_VERSION)),
      JSON.stringify(texts),
    ]);
    const [before, found] = row as [before: string, versions: (string | null)[] | null];
    const stored = (id: number, text: string): Document => ({
      outcome: 'stored',
      id,
      version: String(version),
      json: { text, encoding: 'utf8' },
    });
    let id = Number(before);
    let place = 0;
    return writes.map((write) => {
      if (write.kind === 'create') return stored(++id, withId(declaration.id, id, write.body));
      const [current, text] = [found?.[place], texts[place]];
      place++;
      if (current == null) return { outcome: 'missing' };
      if (write.ifVersion !== undefined && write.ifVersion !== current) return { outcome: 'conflict' };
      return text === undefined ? { outcome: 'removed' } : stored(write.id, text);
    });
  };
  // One statement changes a document once.
  const keyOf = (write: Write) => (write.kind === 'change' ? write.id : undefined);
  return new GroupCommit(commit, onCommit, { keyOf, isRejection });
}

/** All documents of a commit have one version. It is random: a database that was restored from a backup repeats none. */
export function newVersion(): number {
  return randomInt(1, 2 ** 48 - 1);
}

const isVersion = (text: string) => /^[1-9]\d{0,14}$/.test(text);

/** No document has it. */
const NO_VERSION = '0';
