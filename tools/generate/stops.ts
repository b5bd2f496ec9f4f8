/** The spec says something that cannot be carried: one sentence for each, so that all of them can be changed at once. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  readonly sentences: readonly string[];

  constructor(sentences: readonly string[]) {
    super(sentences.join('\n'));
    this.sentences = sentences;
  }
}

/** Stops the reading of one construct: its place in the spec, what stands there, and what to write instead. */
export function stop(place: string, construct: string, instead: string): never {
  throw new SpecError([`${place}: ${construct}; ${instead}.`]);
}

/** Collects the stops of many readings, so that one does not hide the next. */
export class Stops {
  readonly #sentences: string[] = [];

  /** What the reading gives; nothing where it stopped. */
  try<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      this.#sentences.push(...error.sentences);
      return undefined;
    }
  }

  /** Throws all stops together, each once. */
  throwIfAny(): void {
    if (this.#sentences.length > 0) throw new SpecError([...new Set(this.#sentences)]);
  }
}
