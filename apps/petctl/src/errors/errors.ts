import type { Flag } from '../tree/node.ts';

/** What was perhaps meant by a word; worked out only when it is told. */
export interface Meant {
  readonly word: string;
  readonly candidates: readonly string[];
  readonly otherwise: string;
}

/** The command line, a file or the configuration makes no sense. Nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | Meant | undefined;

  constructor(message: string, hint?: string | Meant) {
    super(message);
    this.hint = hint;
  }
}

/** commander cannot read the flags. What to say of it is worked out only when it is told. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  readonly code: string;
  readonly flags: readonly Flag[];
  /** The command, with the names that lead to it. */
  readonly line: string;

  constructor(code: string, message: string, flags: readonly Flag[], line: string) {
    super(message);
    this.code = code;
    this.flags = flags;
    this.line = line;
  }
}

/** There is no key for where the request would go. */
export class NoKeyError extends Error {
  override readonly name = 'NoKeyError';
  readonly origin: string;

  constructor(origin: string) {
    super(`There is no API key for ${origin}.`);
    this.origin = origin;
  }
}

/** Some of a batch failed. */
export class PartialError extends Error {
  override readonly name = 'PartialError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Results could not be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(cause: Error) {
    super('The results could not be written.', { cause });
  }
}

/** The user pressed Ctrl-C. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** What to say of a word that is not known. */
export function suggestion(word: string, candidates: readonly string[], otherwise: string): Meant {
  return { word, candidates, otherwise };
}
