import { beginning, DOCUMENTS, HEAD, OPENING, readBlock } from './block.ts';

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

/** What a commit says of its documents; a copy has its version. */
interface Commit {
  sequence: number;
  records: [collection: string, id: number, length: number, version?: number][];
}

/** The line of the active segment for one commit, which is stored whole or not at all. */
export function commitLine(sequence: number, changes: readonly Change[]): { line: Buffer; records: StoredRecord[] } {
  const texts: string[] = [];
  const commit: Commit = { sequence, records: [] };
  for (const { collection, id, text, version } of changes) {
    const length = text === undefined ? 0 : Buffer.byteLength(text);
    commit.records.push(version === undefined ? [collection, id, length] : [collection, id, length, version]);
    if (text !== undefined) texts.push(text);
  }
  const head = `${' '.repeat(HEAD)}${JSON.stringify(commit).slice(1, -1)}${DOCUMENTS}`;
  const line = Buffer.from(`${head}${texts.join()}]}\n`);
  line.write(beginning(line.subarray(HEAD, -1)), 'latin1');
  return { line, records: placed(commit, head.length) };
}

/** What the file of an active segment holds. */
export interface Commits {
  /** The sequence number of the first record, if there is a commit. */
  first: number | undefined;
  records: StoredRecord[];
  /** Where the last good line ends. Behind it is nothing, or what a crash left of a commit that nobody was told of. */
  end: number;
}

/** Reads the file of an active segment, or says what is wrong with it. */
export function readCommits(bytes: Buffer): Commits | string {
  const commits: Commits = { first: undefined, records: [], end: 0 };
  for (let line = readLine(bytes, 0); line; line = readLine(bytes, commits.end)) {
    commits.first ??= line.sequence;
    const next = commits.first + commits.records.length;
    if (line.sequence !== next)
      return `the commit ${line.sequence} stands at byte ${commits.end}, where ${next} belongs`;
    for (const record of line.records) commits.records.push(record);
    commits.end = line.end;
  }
  const rest = bytes.subarray(commits.end);
  // A torn commit begins like one, or with zeros where the disk knew only its size. Commits follow one another, so only the
  // last one can be unfinished: a good one behind a bad one means damage.
  let isTorn = rest.length === 0 || rest[0] === 0 || OPENING.startsWith(rest.toString('latin1', 0, OPENING.length));
  for (let at = rest.indexOf(OPENING, 1); at >= 0; at = rest.indexOf(OPENING, at + 1)) isTorn &&= !readLine(rest, at);
  return isTorn ? commits : `the line at byte ${commits.end} is not what was written there`;
}

/** The commit that begins at a byte; nothing where there is no good one. */
function readLine(bytes: Buffer, from: number) {
  const stop = bytes.indexOf('\n', from);
  const block = stop < 0 ? undefined : readBlock<Commit>(bytes, from, stop);
  return block && { sequence: block.meta.sequence, records: placed(block.meta, block.start), end: stop + 1 };
}

/** The records of a commit whose first document begins at a byte; the others follow behind a comma. */
function placed({ sequence, records }: Commit, first: number): StoredRecord[] {
  let next = first;
  return records.map(([collection, id, length, version], i) => {
    const start = next;
    if (length > 0) next += length + 1;
    return { collection, id, version: version ?? sequence + i, start, length };
  });
}
