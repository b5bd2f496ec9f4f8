import { exactJson, type Operation } from '@petstore/types';
import { CliError } from '../errors.ts';
import type { Input } from '../input.ts';

/** For each different record, an import remembers how often it has occurred. */
const MAX_DIFFERENT_RECORDS = 1_000_000;

/** The records with one content. */
interface EqualRecords {
  /** How many have been read. */
  read: number;
  /** How many are in the --failed file. */
  stored: number;
}

/** The idempotency key of a record, and its place among equal records. */
export interface RecordKey {
  /** Undefined for an operation without keys. */
  readonly text: string | undefined;
  readonly equals: EqualRecords;
  /** The number of equal records before it. */
  readonly ordinal: number;
}

/**
 * Makes a key of each record's content, and of the number of equal records before it. So a repeated import sends the same
 * keys, and adds only what is new: of a file with the records A, A, B, all are added once; then, of A, A, A, B, one more A.
 */
export class RecordKeys {
  readonly #isUsed: boolean;
  readonly #digest: (...parts: unknown[]) => string;
  /** What the content of a record is extended by: with `--again`, no record equals another one. */
  readonly #extension: () => string;
  readonly #byContent = new Map<string, EqualRecords>();

  static async create(operation: Operation, again: boolean): Promise<RecordKeys> {
    // Loaded on demand, because it is a fifth of a start.
    const { createHash, randomUUID } = await import('node:crypto');
    const digest = (...parts: unknown[]) =>
      createHash('sha256').update(parts.join('\n')).digest('base64url');
    return new RecordKeys(operation, digest, again ? randomUUID : () => '');
  }

  private constructor(
    { id, idempotencyKey }: Operation,
    digest: (...parts: unknown[]) => string,
    extension: () => string,
  ) {
    this.#isUsed = idempotencyKey !== undefined;
    this.#digest = (...parts) => digest(id, ...parts);
    this.#extension = extension;
  }

  /** The key of the next record. */
  next(input: Input): RecordKey {
    if (!this.#isUsed) return { text: undefined, equals: { read: 1, stored: 0 }, ordinal: 0 };
    const properties = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
    const content = this.#digest(exactJson(properties), this.#extension());
    const equals = this.#byContent.get(content) ?? { read: 0, stored: 0 };
    if (this.#byContent.size >= MAX_DIFFERENT_RECORDS)
      throw new CliError('partial', 'The file has too many records. Split it.');
    this.#byContent.set(content, equals);
    const ordinal = equals.read++;
    return { text: this.#digest(content, ordinal), equals, ordinal };
  }

  /** How often the --failed file needs a record: its import counts from the first of equal records on, too. */
  copiesOf({ equals, ordinal }: RecordKey): number {
    const missing = Math.max(0, ordinal + 1 - equals.stored);
    equals.stored += missing;
    return missing;
  }
}
