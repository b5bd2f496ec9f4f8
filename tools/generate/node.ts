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

/** What a JSON pointer behind `#` leads to. */
export function pointed(document: unknown, pointer: string): unknown {
  let here = document;
  for (const part of pointer.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    here = Array.isArray(here) ? here[Number(key)] : node(here)[key];
  }
  return here;
}
