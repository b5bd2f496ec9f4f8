// Reads parts of a parsed OpenAPI document. The refusals use these functions too, so a document may
// be malformed.

/** An object of the document. */
export type Node = Readonly<Record<string, unknown>>;

/** An operation as the document has it. */
export interface DeclaredOperation {
  readonly path: string;
  readonly method: string;
  readonly item: Node;
  readonly operation: Node;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];
const schemaPointer = '#/components/schemas/';

/** All operations of a document, in its order. */
export function operationsIn(document: Node): DeclaredOperation[] {
  const found: DeclaredOperation[] = [];
  for (const [path, value] of Object.entries(recordOf(document.paths))) {
    const item = recordOf(value);
    for (const method of Object.keys(item).filter((key) => methods.includes(key)))
      found.push({ path, method, item, operation: recordOf(item[method]) });
  }
  return found;
}

/** The parameters of an operation, and those of its path that it does not replace. */
export function parametersOf({ item, operation }: DeclaredOperation, document: Node): Node[] {
  const declared = [...listOf(item.parameters), ...listOf(operation.parameters)];
  const byPlaceAndName = new Map<string, Node>();
  for (const value of declared) {
    const parameter = followed(document, value);
    byPlaceAndName.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...byPlaceAndName.values()];
}

/** The schemas of a document by name. */
export function schemasOf(document: Node): Node {
  return recordOf(recordOf(document.components).schemas);
}

/** The schema of a response or a request body. */
export function jsonSchemaOf({ content }: Node): Node {
  return recordOf(recordOf(recordOf(content)['application/json']).schema);
}

/**
 * The base URL of each deployment, with the default of each variable: `{base_url}` as
 * `http://127.0.0.1:8080/v1`.
 */
export function deploymentsOf(document: Node): Record<string, string> {
  const urls: Record<string, string> = {};
  for (const [index, server] of listOf(document.servers).map(recordOf).entries()) {
    let url = String(server.url);
    for (const [name, variable] of Object.entries(recordOf(server.variables)))
      url = url.replaceAll(`{${name}}`, String(recordOf(variable).default));
    urls[String(server['x-deployment'] ?? `server${index + 1}`)] = url;
  }
  return urls;
}

/** The object that a value is, or refers to. */
export function followed(document: Node, value: unknown): Node {
  const { $ref } = recordOf(value);
  if (typeof $ref !== 'string') return recordOf(value);
  let target = document;
  for (const name of $ref.split('/').slice(1)) target = recordOf(target[name]);
  return followed(document, target);
}

/** The name of the schema that a `$ref` leads to; undefined if it leads to something else. */
export function schemaNameOf($ref: unknown): string | undefined {
  if (typeof $ref !== 'string' || !$ref.startsWith(schemaPointer)) return undefined;
  return $ref.slice(schemaPointer.length);
}

/**
 * The names of the schemas that a value refers to, directly or through others. References below the
 * keywords `except` do not count.
 */
export function reachableFrom(value: unknown, schemas: Node, except: readonly string[] = []) {
  const names = new Set<string>();
  collectReferences(value, except, names);
  // A loop over a set also visits the names that the loop adds.
  for (const name of names) collectReferences(schemas[name], except, names);
  return names;
}

/** Whether a schema contains itself: a chain of references leads back to it. */
export function isRecursive(name: string, schemas: Node, except: readonly string[] = []): boolean {
  return reachableFrom(schemas[name], schemas, except).has(name);
}

function collectReferences(value: unknown, except: readonly string[], names: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = key === '$ref' ? schemaNameOf(inner) : undefined;
    if (name !== undefined) names.add(name);
    if (!except.includes(key)) collectReferences(inner, except, names);
  }
}

/**
 * An array is a record, too: a malformed document may have one in place of an object, and the rules
 * then refuse it.
 */
export function isRecord(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** The value, or an empty object in place of anything else. */
export const recordOf = (value: unknown): Node => (isRecord(value) ? value : {});

/** The value, or an empty list in place of anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
