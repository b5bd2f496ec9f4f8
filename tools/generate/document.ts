// The parsed spec: access to its nodes, and errors that name a position in it.
/** Any object of a parsed document. */
export type Node = Readonly<Record<string, unknown>>;

/** The document as one object: without external references, in OpenAPI 3.1. */
export type Document = Node;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one for anything else. */
export function node(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** The value as a list; an empty one for anything else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a text, if it is one. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Leaves out what is undefined. */
export function defined<T>(row: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as T;
}

/** The value at a JSON pointer, the part of a reference behind `#`. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  let here = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    here = Array.isArray(here) ? here[Number(key)] : node(here)[key];
  }
  return here;
}

/** Constructs of the spec that are unsupported or wrong, with one message each. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    super(messages.join('\n'));
    this.messages = messages;
  }
}

/** Throws a SpecError: where in the spec, the problem, and how to fix it. */
export function reject(at: string, problem: string, fix: string): never {
  throw new SpecError([`${at}: ${problem}; ${fix}.`]);
}

/** Collects errors, so that all are reported together. */
export class ErrorCollector {
  readonly #messages: string[] = [];

  /** The result, or undefined after a SpecError. */
  try<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      this.#messages.push(...error.messages);
      return undefined;
    }
  }

  /** Rejects if the condition holds, and continues. */
  rejectIf(condition: boolean, at: string, problem: string, fix: string): void {
    if (condition) this.try(() => reject(at, problem, fix));
  }

  /** Throws all errors together, each once. */
  throwIfAny(): void {
    if (this.#messages.length > 0) throw new SpecError([...new Set(this.#messages)]);
  }
}
