/** A file of the store is not what the store wrote. The file, and every other one, was left as it is. */
export class StoreDamagedError extends Error {
  override readonly name = 'StoreDamagedError';
  readonly file: string;

  constructor(file: string, finding: string, advice = 'restore this file from a backup') {
    super(`${file}: ${finding}. Nothing was changed; ${advice}.`);
    this.file = file;
  }
}

/** Another process has the data folder open. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError';
  readonly file: string;

  constructor(file: string) {
    super(`${file}: another process has locked it. Stop that process or choose another data folder.`);
    this.file = file;
  }
}

/** The data folder cannot be read or written by this process. */
export class StoreFolderError extends Error {
  override readonly name = 'StoreFolderError';
  readonly file: string;

  constructor(file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`${file}: cannot be used (${reason}). The server must be able to read and write it.`, { cause });
    this.file = file;
  }
}

/** The store cannot do this now. Nothing was done, so it may be tried again. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** The store takes no more writes until it is opened again. Nothing of this one was done. */
export class StoreFailedError extends StoreUnavailableError {
  override readonly name: string = 'StoreFailedError';
}

/** Nobody knows whether the write was done: it was under way when the disk or the database failed. */
export class StoreUncertainError extends StoreFailedError {
  override readonly name = 'StoreUncertainError';
}

/** The key of an idempotent write belongs to another write. Nothing was done. */
export class IdempotencyMismatchError extends Error {
  override readonly name = 'IdempotencyMismatchError';
}
