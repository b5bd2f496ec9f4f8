import { beginning, HEAD, OPENING } from './json-file.ts';

/** A change to a document that is to be committed. */
export interface Change {
  readonly collection: string;
  readonly id: number;
  /** The document's text; without one it is removed: a tombstone. */
  readonly text?: string | undefined;
  /** The version of a record that is copied from an older segment; that of a new one is its own sequence number. */
  readonly version?: number | undefined;
  readonly tag: number;
}

/** A change as it stands in a segment. */
export interface StoredRecord {
  readonly collection: string;
  readonly id: number;
  /** The sequence number of the change that it was first written for. */
  readonly version: number;
  /** Where the document's text is, in bytes; a tombstone has the length 0. */
  readonly start: number;
  readonly length: number;
}

/**
 * The line of the active segment for one commit, which is stored whole or not at all. Members that a later format adds
 * stand beside `records`.
 */
export function commitLine(sequence: number, changes: readonly Change[]): { line: Buffer; records: StoredRecord[] } {
  const records: StoredRecord[] = [];
  let text = `${' '.repeat(HEAD)}"sequence":${sequence},"records":[`;
  let end = text.length;
  for (const { collection, id, text: document, version: copied } of changes) {
    const length = document === undefined ? 0 : Buffer.byteLength(document);
    const kind = `${records.length > 0 ? ',' : ''}{"${document === undefined ? 'remove' : 'put'}":"${collection}"`;
    const what = copied === undefined ? `,"id":${id}` : `,"id":${id},"version":${copied}`;
    const before = document === undefined ? kind + what : `${kind}${what},"bytes":${length},"document":`;
    records.push({ collection, id, version: copied ?? sequence + records.length, start: end + before.length, length });
    text += document === undefined ? `${before}}` : `${before}${document}}`;
    end += before.length + length + 1;
  }
  const line = Buffer.from(`${text}]}\n`);
  line.write(beginning(line.subarray(HEAD, -1)), 'latin1');
  return { line, records };
}

/** What the file of an active segment holds. */
export interface Commits {
  /** The sequence number of the first record, if there is a commit, and the one behind the last. */
  first: number | undefined;
  next: number;
  records: StoredRecord[];
  /** Where the last good line ends. Behind it is nothing, or what a crash left of a commit that nobody was told of. */
  end: number;
}

/** Reads the file of an active segment, or says what is wrong with it. */
export function readCommits(bytes: Buffer): Commits | string {
  const commits: Commits = { first: undefined, next: 0, records: [], end: 0 };
  for (let line = readLine(bytes, 0); line; line = readLine(bytes, commits.end)) {
    if (typeof line === 'string') return `${line} at byte ${commits.end}`;
    commits.first ??= line.first;
    if (commits.next > 0 && line.first !== commits.next)
      return `the commit ${line.first} stands at byte ${commits.end}, where ${commits.next} belongs`;
    for (const record of line.records) commits.records.push(record);
    Object.assign(commits, { next: line.next, end: line.end });
  }
  const rest = bytes.subarray(commits.end);
  // A torn commit begins like one, or with zeros where the disk knew only its size. Commits follow one another, so only the
  // last one can be unfinished: a good one behind a bad one means damage.
  let isTorn = rest.length === 0 || rest[0] === 0 || OPENING.startsWith(rest.toString('latin1', 0, OPENING.length));
  for (let at = rest.indexOf(OPENING, 1); at >= 0; at = rest.indexOf(OPENING, at + 1)) isTorn &&= !readLine(rest, at);
  return isTorn ? commits : `the line at byte ${commits.end} is not what was written there`;
}

/** The commit that begins at a byte; nothing where there is no good one. */
function readLine(bytes: Buffer, from: number): (Commits & { first: number }) | string | undefined {
  const stop = bytes.indexOf('\n', from);
  const body = bytes.subarray(from + HEAD, Math.max(stop, from + HEAD));
  if (bytes.toString('latin1', from, from + HEAD) !== beginning(body) || body.length === 0) return undefined;
  const [head, sequence] = /^"sequence":(\d+),"records":\[/.exec(body.toString('latin1', 0, 40)) ?? [];
  if (head === undefined) return 'there is a commit that this version does not know';
  const first = Number(sequence);
  const commit = { first, next: first, records: [] as StoredRecord[], end: stop + 1 };
  for (let at = from + HEAD + head.length; at < stop - 2; at++) {
    const [before, collection = '', id, version, length = 0] =
      /^\{"(?:put|remove)":"([\w-]+)","id":(\d+)(?:,"version":(\d+))?(?:,"bytes":(\d+),"document":|(?=\}))/.exec(
        bytes.toString('latin1', at, at + 200),
      ) ?? [];
    if (before === undefined) return 'there is a record that this version does not know';
    const start = at + before.length;
    commit.records.push({
      collection,
      id: Number(id),
      version: Number(version ?? commit.next),
      start,
      length: Number(length),
    });
    commit.next++;
    at = start + Number(length) + 1;
  }
  return commit;
}
