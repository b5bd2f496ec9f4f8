import { credentialName, type Scheme } from '../keys/schemes.ts';
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

/** There is no credential for where the request would go. */
export class NoCredentialError extends Error {
  override readonly name = 'NoCredentialError';
  /** The combinations of schemes of which one is needed. */
  readonly needed: readonly (readonly Scheme[])[];

  constructor(origin: string, needed: readonly (readonly Scheme[])[]) {
    const [only = [], ...others] = needed;
    const names = needed.map((all) => all.map(credentialName).join(' and '));
    super(
      others.length === 0 && only.length === 1
        ? `There is no ${names[0]} for ${origin}.`
        : `There are not all credentials for ${origin}: it takes ${names.join(', or ')}.`,
    );
    this.needed = needed;
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

  constructor(cause: Error, what = 'The results') {
    super(`${what} could not be written.`, { cause });
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
