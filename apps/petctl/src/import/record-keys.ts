import { createHash, randomUUID } from 'node:crypto';
import { exactJson, type Operation } from '@petstore/types';
import { CliError } from '../errors.ts';
import type { InputValues } from '../input.ts';

/** The limit bounds the memory: an import remembers how often each different record has occurred. */
const MAX_DIFFERENT_RECORDS = 1_000_000;

/** The idempotency key of a record, and its place among equal records. */
export interface RecordKey {
  readonly text: string;
  /** A digest of the content. Equal records have the same digest. */
  readonly content: string;
  /** The number of equal records before it. */
  readonly ordinal: number;
}

/**
 * Makes a key of each record's content, and of the number of equal records before it. A repeated
 * import sends the same keys, so it adds only what is new. An import of the records A, A, B adds
 * three. A later import of A, A, A, B adds one more A.
 */
export class RecordKeys {
  readonly #operation: string;
  readonly #again: boolean;
  /** How often each content has occurred. */
  readonly #occurrences = new Map<string, number>();

  /** With `again`, no key equals a key of another import, so all records are added. */
  constructor({ id }: Operation, again: boolean) {
    this.#operation = id;
    this.#again = again;
  }

  /** The key of the next record. */
  next(input: InputValues): RecordKey {
    if (this.#occurrences.size >= MAX_DIFFERENT_RECORDS)
      throw new CliError('partial', 'The file has too many records. Split it.');
    const properties = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
    const salt = this.#again ? randomUUID() : '';
    const content = this.#digest(exactJson(properties), salt);
    const ordinal = this.#occurrences.get(content) ?? 0;
    this.#occurrences.set(content, ordinal + 1);
    return { text: this.#digest(content, String(ordinal)), content, ordinal };
  }

  #digest(...parts: string[]): string {
    const text = [this.#operation, ...parts].join('\n');
    return createHash('sha256').update(text).digest('base64url');
  }
}
