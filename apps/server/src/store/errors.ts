import { ExpectedError } from '../expected-error.ts';
import { errorCode, isDiskFull, LINK_ADVICE } from '../files/files.ts';

/** The content of a file is not what the store wrote. No file was changed. */
export class StoreDamagedError extends ExpectedError {
  constructor(file: string, finding: string, advice = 'restore the data folder from a backup') {
    super(`${file}: ${finding}. Nothing was changed; ${advice}.`);
  }
}

/** Another process has the data folder open. */
export class StoreLockedError extends ExpectedError {
  constructor(file: string) {
    super(`${file}: another process has locked it. Stop that process or choose another data folder.`);
  }
}

/** The data folder cannot be read or written by this process. */
export class StoreFolderError extends ExpectedError {
  constructor(file: string, cause: unknown, advice = adviceFor(cause)) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${file}: cannot be used (${reason}). ${advice}.`, { cause });
  }
}

function adviceFor(cause: unknown): string {
  if (isDiskFull(cause)) return 'Free some space';
  return errorCode(cause) === 'ELOOP' ? LINK_ADVICE : 'The server must be able to read and write it';
}

/** The store cannot do this now. Unless this is a StoreUncertainError, nothing was done, so the caller can repeat it. */
export class StoreUnavailableError extends ExpectedError {}

/** The data folder accepts no writes until it is opened again. Unless this is a StoreUncertainError, this write was not done. */
export class StoreFailedError extends StoreUnavailableError {}

/** The outcome of the write is unknown, because the disk or the database failed during it. PostgreSQL still accepts writes. */
export class StoreUncertainError extends StoreFailedError {}

/** The highest identifier is assigned, so no document can be created. */
export class NoIdLeftError extends Error {
  constructor(options?: ErrorOptions) {
    super('The highest identifier is assigned, so no document can be created.', options);
  }
}

/** The idempotency key belongs to another write. Nothing was done. */
export class IdempotencyMismatchError extends ExpectedError {
  constructor() {
    super('The idempotency key belongs to another write.');
  }
}
