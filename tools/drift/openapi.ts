import { resolve as absolute, relative } from 'node:path';
import type { Operation as ModelOperation } from '@petstore/types';
import { type Node, node } from '../generate/document.ts';
import { loadSpec } from '../generate/load.ts';
import { type Model, modelOf } from '../generate/model.ts';
import { type Document, type Operation, operationsOf, type Root, resolve } from '../openapi/document.ts';

export { isNode, list, type Node, node } from '../generate/document.ts';
export type { ModelOperation };

/** A spec as two independent readers parse it: the reader of the checks, and the generator. */
export interface Spec extends Document {
  /** The document, upgraded to OpenAPI 3.1, with the content of the files that it refers to. */
  readonly root: Root & Node;
  /** The operations by endpoint, such as `GET /users`, as the reader of the checks parses them. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** The generator's model. Throws if the generator cannot handle the spec. */
  readonly model: Model;
}

/** The path of the spec in the repository. */
export const specFile = 'spec/openapi.yaml';

/** Reads a spec, and the files that it refers to. The same texts give the same object. */
export function readSpec(read: (file: string) => string): Spec {
  const text = read(specFile);
  const known = knownSpecs.find(
    (candidate) => candidate.text === text && candidate.files.entries().every(([file, part]) => read(file) === part),
  );
  if (known) return known.spec;
  const files = new Map<string, string>();
  // Paths are resolved as if the repository were the root of the file system.
  const document = loadSpec(text, absolute('/', specFile), (path) => {
    const file = relative(absolute('/'), path).replaceAll('\\', '/');
    files.set(file, read(file));
    return read(file);
  });
  const spec = specOf(document);
  knownSpecs.push({ text, files, spec });
  return spec;
}

/** The specs that were read, with their texts and the texts of the other files. */
const knownSpecs: { text: string; files: ReadonlyMap<string, string>; spec: Spec }[] = [];

function specOf(document: Node): Spec {
  const root = document as Spec['root'];
  const operations = operationsOf({ root });
  let model: Model | undefined;
  return {
    root,
    operations: new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation])),
    get model() {
      model ??= modelOf(document);
      return model;
    },
  };
}

/** Each operation as both readers parse it. */
export function operationPairs({ operations, model }: Spec) {
  return model.operations.flatMap(({ operation: modelOperation }) => {
    const operation = operations.get(`${modelOperation.method} ${modelOperation.path}`);
    return operation ? [{ operation, modelOperation }] : [];
  });
}

/** The names of the parameters in a path, in their order. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** The first type of a schema that is not null. */
export function typeOf({ type }: { type?: string | readonly string[] }): string | undefined {
  return [type ?? []].flat().find((name) => name !== 'null');
}

/** The response that an operation declares for a status; nothing where it declares none. */
export function declaredResponse(spec: Document, { object }: Operation, status: number): Node | undefined {
  const responses = node(object.responses);
  const names = [`${status}`, `${String(status)[0]}XX`, `${String(status)[0]}xx`, 'default'];
  const name = names.find((status) => responses[status] !== undefined);
  return name === undefined ? undefined : resolve(spec, node(responses[name]));
}
