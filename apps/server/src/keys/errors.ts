/** keys.json cannot be used. What it holds is never part of the message. */
export class KeysFileError extends Error {
  override readonly name = 'KeysFileError';

  constructor(file: string, finding: string, cause?: unknown) {
    super(`${file} ${finding}`, { cause });
  }
}

/** A key cannot be made or revoked under the name that was given. */
export class KeyNameError extends Error {
  override readonly name = 'KeyNameError';
}
