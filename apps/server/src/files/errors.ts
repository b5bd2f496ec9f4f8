/** The system's code of an error, for example ENOSPC. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The system's code of an error, else its message. */
export function reasonOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Whether free space would solve the error. After any other failed write the state of the disk is unknown. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
}

/** Another process holds a lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}
