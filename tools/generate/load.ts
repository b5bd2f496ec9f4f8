import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { type Document, isNode, type Node, node, reject, resolvePointer } from './document.ts';
import { upgraded } from './upgrade.ts';

/** Reads a file by its absolute path. Throws if the file does not exist. */
export type ReadFile = (file: string) => string;

/** Bundles a spec and all files that the spec refers to into one OpenAPI 3.1 document. `path` is the file of the text. */
export function loadSpec(text: string, path: string, read: ReadFile = (file) => readFileSync(file, 'utf8')): Document {
  const files = new Map<string, unknown>([[path, parsed(text, path)]]);
  readReferred(path, files, read);
  return withPaths(upgraded(files.size === 1 ? node(files.get(path)) : bundle(path, files)));
}

/**
 * Replaces references to path items, parameters, bodies and responses by their targets. References to components stay, because
 * the validator resolves only such references.
 */
function withPaths(document: Document): Document {
  const inPlace = (value: unknown, isPath = false): unknown => {
    const { $ref, ...beside } = node(value);
    let [to, target] = [$ref, value];
    for (let steps = 0; typeof to === 'string' && steps < MAX_STEPS; steps++) {
      target = resolvePointer(document, to.slice(1));
      const { $ref: next } = node(target);
      if (next === undefined) break;
      to = next;
    }
    if (typeof to !== 'string' || !isNode(target) || target.$ref !== undefined) return value;
    return to.startsWith('#/components/') && !isPath ? { $ref: to, ...beside } : { ...target, ...beside };
  };
  const withParts = (value: unknown): unknown => {
    if (!isNode(value)) return value;
    const { parameters, requestBody, responses } = value;
    return {
      ...value,
      ...(Array.isArray(parameters) && { parameters: parameters.map((one) => inPlace(one)) }),
      ...(isNode(requestBody) && { requestBody: inPlace(requestBody) }),
      ...(isNode(responses) && { responses: mapped(responses, (one) => inPlace(one)) }),
    };
  };
  const withOperations = (item: unknown) => (isNode(item) ? (withParts(mapped(item, withParts)) as Node) : item);
  if (document.paths === undefined) return document;
  return { ...document, paths: mapped(node(document.paths), (item) => withOperations(inPlace(item, true))) };
}

/** The maximum length of a chain of references. A longer chain is a cycle. */
const MAX_STEPS = 100;

function mapped(values: Node, change: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function parsed(text: string, path: string): unknown {
  try {
    return parse(text, { maxAliasCount: 1000, merge: true });
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    return reject(basename(path), `the file is neither YAML nor JSON (${reason})`, 'correct the file');
  }
}

/** Reads the files that a file refers to, directly or through other files. */
function readReferred(path: string, files: Map<string, unknown>, read: ReadFile): void {
  const referred = new Set<string>();
  eachReference(files.get(path), ($ref) => {
    const [file] = $ref.split('#');
    if (!file) return;
    if (/^[a-z]+:\/\//i.test(file))
      reject(basename(path), `$ref '${$ref}' is on another host`, 'copy the file beside the spec');
    referred.add(resolve(dirname(path), decodeURIComponent(file)));
  });
  for (const file of referred) {
    if (files.has(file)) continue;
    files.set(file, parsed(textOf(file, path, read), file));
    readReferred(file, files, read);
  }
}

function textOf(file: string, referrer: string, read: ReadFile): string {
  try {
    return read(file);
  } catch {
    return reject(basename(referrer), `the file ${basename(file)} does not exist`, 'correct the $ref to it');
  }
}

function eachReference(value: unknown, visit: ($ref: string) => void, isMap = false): void {
  if (Array.isArray(value)) for (const one of value) eachReference(one, visit);
  if (!isNode(value)) return;
  if (typeof value.$ref === 'string') visit(value.$ref);
  for (const [key, child] of Object.entries(value))
    if (isMap || !isExample(key)) eachReference(child, visit, !isMap && maps.has(key));
}

/** The keywords whose value is a map. The keys of a map are names, which may equal keywords: a response may be called `default`. */
const maps = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'schemas',
  'responses',
  'headers',
]);

const isExample = (key: string) => key === 'example' || key === 'examples' || key === 'default' || key === 'enum';

/** The names of the component maps, by the key whose value contains the reference. */
const componentsOf: Readonly<Record<string, string>> = {
  parameters: 'parameters',
  requestBody: 'requestBodies',
  requestBodies: 'requestBodies',
  responses: 'responses',
  headers: 'headers',
  securitySchemes: 'securitySchemes',
  paths: 'pathItems',
  pathItems: 'pathItems',
  examples: 'examples',
  links: 'links',
  callbacks: 'callbacks',
};

/** Bundles files into one document. The targets of references in other files become components of the main file. */
function bundle(main: string, files: ReadonlyMap<string, unknown>): Document {
  const names = new Map<string, string>();
  const usedNames = new Set<string>();
  const added: Record<string, Record<string, unknown>> = {};
  const root = node(files.get(main));
  for (const [kind, all] of Object.entries(node(root.components)))
    for (const name of Object.keys(node(all))) usedNames.add(`${kind}/${name}`);

  const copy = (value: unknown, file: string, kind: string, isMap = false): unknown => {
    if (Array.isArray(value)) return value.map((one) => copy(one, file, kind));
    if (!isNode(value)) return value;
    if (typeof value.$ref === 'string') {
      const { $ref, ...beside } = value;
      return { $ref: localRef(String($ref), file, kind), ...node(copy(beside, file, kind)) };
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        isExample(key) && !isMap ? child : copy(child, file, kindBelow(key, kind), !isMap && maps.has(key)),
      ]),
    );
  };
  const localRef = ($ref: string, from: string, kind: string): string => {
    const [path = '', pointer = ''] = $ref.split('#');
    const file = path === '' ? from : resolve(dirname(from), decodeURIComponent(path));
    if (file === main) return `#${pointer}`;
    const key = `${file}#${pointer}`;
    const known = names.get(key);
    if (known) return known;
    const target = pointer === '' ? files.get(file) : resolvePointer(files.get(file), pointer);
    if (target === undefined) reject(basename(from), `$ref '${$ref}' cannot be resolved`, 'correct the reference');
    const last = pointer.split('/').at(-1) || basename(file).replace(/\.\w+$/, '');
    const wanted = last.replaceAll(/[^\w.-]/g, '_');
    let name = wanted;
    for (let i = 2; usedNames.has(`${kind}/${name}`); i++) name = `${wanted}${i}`;
    usedNames.add(`${kind}/${name}`);
    const local = `#/components/${kind}/${name}`;
    names.set(key, local);
    added[kind] ??= {};
    added[kind][name] = copy(target, file, kind);
    return local;
  };

  const copied = node(copy(root, main, ''));
  const components: Record<string, Node> = { ...(copied.components as Record<string, Node>) };
  for (const [kind, more] of Object.entries(added)) components[kind] = { ...components[kind], ...more };
  return { ...copied, components };
}

/** The kind of component that a reference below a key refers to. */
function kindBelow(key: string, kind: string): string {
  if (kind === 'schemas' || key === 'schema' || key === 'schemas') return 'schemas';
  return componentsOf[key] ?? kind;
}
