/** The system's name for an error, such as ENOSPC. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The system's name for an error where it has one, else its message. */
export function reasonOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : String(error));
}

/** Whether more free space is all that is needed. After any other failed write the state of the disk is unknown. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
}

/** Another process holds a lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
}
