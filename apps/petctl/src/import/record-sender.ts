import { Readable } from 'node:stream';
import type { Operation } from '@petstore/types';
import { CliError, UsageError } from '../errors.ts';
import { checkProperties, type InputValues, missingInputs, missingText } from '../input.ts';
import { type Printer, shapeOf } from '../output/printer.ts';
import type { ProgressBar, Reporter } from '../output/reporter.ts';
import type { CallSetup, Method } from '../service/client.ts';
import { explainError } from '../service/explain-error.ts';
import { isObject } from '../text.ts';
import type { FailedFile } from './failed-file.ts';
import type { RecordKey, RecordKeys } from './record-keys.ts';

const CONCURRENCY = 8;
/** One more failure in a row than this ends the import. */
const MAX_FAILURES_IN_ROW = 16;

/** A record of a file. */
export interface ImportRecord {
  /** Its place in the file: `line 3`. */
  readonly place: string;
  /** Its text, to store it in the --failed file. */
  readonly text: string;
  /** Returns the record as a JSON value. Throws a UsageError if the text cannot be read. */
  readonly value: () => unknown;
}

export interface RecordFile {
  /** The beginning of the --failed file. */
  readonly header: string;
  readonly records: AsyncIterable<ImportRecord>;
}

interface ImportCounts {
  readonly created: number;
  readonly existing: number;
  readonly failed: number;
}

interface SenderParts {
  readonly setup: CallSetup;
  readonly method: Method;
  /** Undefined for an operation without idempotency keys. */
  readonly keys: RecordKeys | undefined;
  /** Undefined if results are not shown. */
  readonly printer: Printer | undefined;
  readonly failedFile: FailedFile | undefined;
  readonly progress: ProgressBar | undefined;
  readonly reporter: Reporter;
}

/** What became of a record. */
type RecordOutcome =
  | { readonly kind: 'created' | 'existing'; readonly data: unknown }
  | { readonly kind: 'failed'; readonly error: CliError }
  /** The import has stopped before the record was added. */
  | { readonly kind: 'notAdded' };

interface RecordResult {
  readonly record: ImportRecord;
  /** Undefined for a record that cannot be sent, and for an operation without keys. */
  readonly key: RecordKey | undefined;
  readonly outcome: RecordOutcome;
}

/** Sends several records at a time, and handles their results in the order of the file. */
export class RecordSender {
  readonly #parts: SenderParts;
  readonly #counts = { created: 0, existing: 0, failed: 0 };
  #failuresInRow = 0;
  #isReadToEnd = false;
  #stopReason: unknown;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  get counts(): ImportCounts {
    return this.#counts;
  }

  /** Why not all records were sent; undefined if they were. */
  get stopReason(): unknown {
    return this.#stopReason;
  }

  /** Whether all records of the file were read, so that the --failed file has all that are left. */
  get isReadToEnd(): boolean {
    return this.#isReadToEnd;
  }

  get #isStopped(): boolean {
    return this.#stopReason !== undefined;
  }

  /** Stops sending records. Only the first reason is kept. */
  stop(reason: unknown): void {
    this.#stopReason ??= reason;
  }

  async sendAll(records: AsyncIterable<ImportRecord>): Promise<void> {
    const results = Readable.from(this.#untilStopped(records)).map(
      (record: ImportRecord) => this.#send(record),
      { concurrency: CONCURRENCY },
    );
    for await (const result of results) await this.#settle(result);
    await this.#parts.printer?.end().catch((error: unknown) => this.stop(error));
  }

  /** The records that are sent or, once the import has stopped, stored in the --failed file. */
  async *#untilStopped(records: AsyncIterable<ImportRecord>): AsyncGenerator<ImportRecord> {
    try {
      for await (const record of records) {
        if (this.#isStopped && !this.#parts.failedFile) return;
        yield record;
      }
      this.#isReadToEnd = true;
    } catch (error) {
      this.stop(error);
    }
  }

  async #send(record: ImportRecord): Promise<RecordResult> {
    const { setup, method, keys } = this.#parts;
    let key: RecordKey | undefined;
    try {
      const input = inputOf(record, setup.operation);
      key = keys?.next(input);
      if (this.#isStopped) return { record, key, outcome: { kind: 'notAdded' } };
      const { data, response } = await method(input, { idempotencyKey: key?.text }).withResponse();
      const isReplayed = response.headers.get('idempotency-replayed') === 'true';
      return { record, key, outcome: { kind: isReplayed ? 'existing' : 'created', data } };
    } catch (thrown) {
      const error = explainError(thrown, setup);
      if (!this.#isStopped && concernsOneRecord(error))
        return { record, key, outcome: { kind: 'failed', error } };
      this.stop(error);
      return { record, key, outcome: { kind: 'notAdded' } };
    }
  }

  async #settle({ record, key, outcome }: RecordResult): Promise<void> {
    if (outcome.kind === 'failed') this.#settleFailed(record, key, outcome.error);
    else if (outcome.kind === 'notAdded') this.#store(record, key);
    else await this.#settleAdded(outcome.kind, outcome.data);
    const bytes = Buffer.byteLength(record.text) + 1;
    this.#parts.progress?.advance(bytes, countsText(this.#counts));
  }

  async #settleAdded(kind: 'created' | 'existing', data: unknown): Promise<void> {
    this.#counts[kind]++;
    this.#failuresInRow = 0;
    try {
      await this.#parts.printer?.write([data]);
    } catch (error) {
      this.stop(error);
    }
  }

  #settleFailed(record: ImportRecord, key: RecordKey | undefined, error: CliError): void {
    this.#store(record, key);
    if (error.kind === 'failed') this.#failuresInRow++;
    if (this.#failuresInRow > MAX_FAILURES_IN_ROW) return this.stop(error);
    this.#counts.failed++;
    // The message of a usage error already names the place.
    const message = error.kind === 'usage' ? error.message : `${record.place}: ${error.message}`;
    this.#parts.reporter.error(new CliError('partial', message, undefined, error.details));
  }

  /** Adds a record to the --failed file. */
  #store(record: ImportRecord, key: RecordKey | undefined): void {
    try {
      this.#parts.failedFile?.add(record.text, key);
    } catch (error) {
      this.stop(error);
    }
  }
}

/** The input of a record. Throws a UsageError if the record cannot be sent. */
function inputOf(record: ImportRecord, operation: Operation): InputValues {
  const value = record.value();
  if (isObject(value)) removeResultProperties(value, operation);
  const input = checkProperties(value, operation, record.place);
  const missing = missingInputs(input, operation);
  if (missing.length > 0) throw new UsageError(`${record.place}: ${missingText(missing)}.`);
  return input;
}

/**
 * Removes the properties that the operation returns but does not accept, such as the identifier,
 * because the lists that petctl prints contain them.
 */
function removeResultProperties(record: Record<string, unknown>, operation: Operation): void {
  for (const name of shapeOf(operation).columns) {
    if (!Object.hasOwn(operation.fields, name)) delete record[name];
  }
}

/** `2 created, 1 failed`. */
export function countsText(counts: ImportCounts): string {
  const parts = [`${counts.created} created`];
  if (counts.existing > 0) parts.push(`${counts.existing} existing`);
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  return parts.join(', ');
}

/** Whether an error is about a single record. Any other error ends the import. */
function concernsOneRecord(error: unknown): error is CliError {
  return (
    error instanceof CliError && ['usage', 'rejected', 'not_found', 'failed'].includes(error.kind)
  );
}
