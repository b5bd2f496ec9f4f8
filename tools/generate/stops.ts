/** Unsupported constructs of the spec, with one sentence each. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  readonly sentences: readonly string[];

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'));
    this.sentences = sentences;
  }
}

/** Rejects a construct: its location in the spec, the construct, and what to write instead. */
export function stop(place: string, construct: string, instead: string): never {
  throw new SpecError([`${place}: ${construct}; ${instead}.`]);
}

/** Collects errors, so all are reported together. */
export class Stops {
  readonly #sentences: string[] = [];

  /** The result, or undefined after an error. */
  try<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      this.#sentences.push(...error.sentences);
      return undefined;
    }
  }

  /** Throws all errors together, each once. */
  throwIfAny(): void {
    if (this.#sentences.length > 0) throw new SpecError([...new Set(this.#sentences)]);
  }
}
