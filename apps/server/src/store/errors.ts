/** A file of the store is not what the store wrote. The file, and every other one, was left as it is. */
export class StoreDamagedError extends Error {
  override readonly name = 'StoreDamagedError';
  readonly file: string;

  constructor(file: string, finding: string) {
    super(`${file}: ${finding}. Nothing was changed; put this file back from a backup.`);
    this.file = file;
  }
}

/** Another process has the data folder open. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError';
  readonly file: string;

  constructor(file: string) {
    super(`${file}: another process holds it. Stop that process or choose another data folder.`);
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

/** Animals cannot be added now, those already kept can be read. Nothing of what was refused is kept. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** Nobody knows whether the animal was kept: it had been handed over when the disk or the database failed. */
export class StoreUncertainError extends StoreUnavailableError {
  override readonly name = 'StoreUncertainError';
}

/** The system's name for what went wrong, such as ENOSPC. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Whether more free space would cure it. Every other failed write leaves the state of the disk unknown. */
export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
