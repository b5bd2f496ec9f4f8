import { relative, resolve } from 'node:path';
import { loadSpec } from '../generate/load.ts';
import { type Model, modelOf } from '../generate/model.ts';
import { type Document, type Operation, operationsOf, type Root } from '../openapi/document.ts';

/** A part of a spec. Its properties are checked where they are used. */
export type Node = Readonly<Record<string, unknown>>;

/** A spec as two readers see it that know nothing of each other: the judge of requests, and the generator. */
export interface Spec extends Document {
  /** Without references to other files, in OpenAPI 3.1. */
  readonly root: Root & Node;
  /** The operations by their endpoints, as `GET /users`, as they are written. */
  readonly operations: ReadonlyMap<string, Operation>;
  /** What the generator makes of it. Throws where it cannot be carried. */
  readonly model: Model;
}

/** Where the spec stands in the repository. */
export const specFile = 'spec/openapi.yaml';

/** Reads a spec, and the files that it refers to. The same texts give the same object. */
export function readSpec(read: (file: string) => string): Spec {
  const text = read(specFile);
  const known = specs.get(text)?.find(({ files }) => files.every(([file, before]) => read(file) === before));
  if (known) return known.spec;
  const files: [file: string, text: string][] = [];
  // As if the repository stood at the root of the file system.
  const document = loadSpec(text, resolve('/', specFile), (path) => {
    const file = relative(resolve('/'), path).replaceAll('\\', '/');
    const found = read(file);
    files.push([file, found]);
    return found;
  });
  const spec = specOf(document);
  specs.set(text, [...(specs.get(text) ?? []), { files, spec }]);
  return spec;
}

/** The specs that were read, by their texts, each with the other files that it is made of. */
const specs = new Map<string, { files: [file: string, text: string][]; spec: Spec }[]>();

function specOf(document: Node): Spec {
  const root = document as Spec['root'];
  const read: Document = { root, files: new Map([[`/${specFile}`, root]]) };
  let model: Model | undefined;
  return {
    root,
    files: read.files,
    operations: new Map(operationsOf(read).map((operation) => [`${operation.method} ${operation.path}`, operation])),
    get model() {
      model ??= modelOf(document);
      return model;
    },
  };
}

/** The version of the interface. */
export function versionOf({ info }: Node): string {
  return String(node(info).version);
}

/** The path that every address of the service begins with. */
export function basePathOf({ model }: Spec): string {
  const [address = '/'] = Object.values(model.service.deployments);
  return new URL(address, 'http://localhost').pathname.replace(/\/$/, '');
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function node(value: unknown): Node {
  return isNode(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
