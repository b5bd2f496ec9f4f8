// The parsed spec: functions that read its nodes, and errors that name a position in the spec.
/** Any object of a parsed document. */
export type Node = Readonly<Record<string, unknown>>;

/** The document as one object, without references to other files. `upgraded` converts it to OpenAPI 3.1. */
export type Document = Node;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, otherwise an empty object. */
export function node(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** Returns the value if it is a list, otherwise an empty list. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a string, otherwise undefined. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns a copy of the object without undefined properties. */
export function defined<T>(object: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** The object with changed values. */
export function mapped<T, U>(
  object: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

/** Returns the object, or undefined if it is empty. */
export function nonEmpty<T extends object>(object: T): T | undefined {
  return Object.keys(object).length > 0 ? object : undefined;
}

/** The name, or the name with the first number that makes it unused. */
export function unusedName(name: string, used: readonly string[]): string {
  let unused = name;
  for (let i = 2; used.includes(unused); i++) unused = `${name}${i}`;
  return unused;
}

/** The value at a JSON pointer, which is the part of a reference after `#`. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    const parent = Object(value);
    value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  }
  return value;
}

/** Decodes a part of a URL. Returns a malformed part as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * The keywords whose value may be a map. The keys of a map are names, which may equal keywords: a response may be called `default`.
 * An operation's `parameters` are a list.
 */
const maps = new Set(
  (
    'properties patternProperties dependentSchemas $defs schemas parameters requestBodies responses headers encoding ' +
    'securitySchemes links callbacks pathItems'
  ).split(' '),
);

/** Whether the value is a map from names. */
export function isMap(keyword: string, value: unknown): boolean {
  return maps.has(keyword) && isNode(value);
}

/** Whether the value of a keyword is data, in which nothing is a keyword. */
export function isData(keyword: string): boolean {
  return keyword === 'example' || keyword === 'examples' || keyword === 'default' || keyword === 'enum';
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

/** Throws a SpecError that says where in the spec the problem is, what the problem is, and how to fix it. */
export function reject(at: string, problem: string, fix: string): never {
  throw new SpecError([`${at}: ${problem}; ${fix}.`]);
}

/** Collects errors, so that one run reports all errors. */
export class ErrorCollector {
  readonly #messages: string[] = [];

  /** Returns the result. Returns undefined after a SpecError, whose messages are collected. */
  try<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      this.#messages.push(...error.messages);
      return undefined;
    }
  }

  /** Collects the error that `reject` throws. */
  reject(at: string, problem: string, fix: string): void {
    this.try(() => reject(at, problem, fix));
  }

  /** Throws one SpecError with all collected messages, each once. */
  throwIfAny(): void {
    if (this.#messages.length > 0) throw new SpecError([...new Set(this.#messages)]);
  }
}
