import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { checkedForCycles } from './cycles.ts';
import {
  type Document,
  decoded,
  isData,
  isMap,
  isNode,
  list,
  mapped,
  type Node,
  node,
  reject,
  resolvePointer,
  unusedName,
} from './document.ts';

/** Reads a file by its absolute path. Throws if the file does not exist. */
type ReadFile = (file: string) => string;

/** The same document. Rejects other versions than OpenAPI 3.1. */
function supported(document: Document): Document {
  const version = String(document.openapi ?? document.swagger ?? 'none');
  if (!/^3\.1\.\d/.test(version)) reject('openapi', `the OpenAPI version is ${version}`, 'use 3.1');
  return document;
}

/** Bundles a spec and all files that the spec refers to into one OpenAPI 3.1 document. `path` is the file of the text. */
export function loadSpec(text: string, path: string, read: ReadFile = (file) => readFileSync(file, 'utf8')): Document {
  return withInlinedReferences(checkedForCycles(withoutInheritedAlternatives(supported(bundle(text, path, read)))));
}

/**
 * In the `allOf` of a schema that is an alternative of its own parent, replaces the parent by a copy without alternatives. As written,
 * such a schema contains itself; springdoc means that it has the properties of the parent.
 */
function withoutInheritedAlternatives(document: Document): Document {
  const components = node(document.components);
  const schemas = node(components.schemas);
  const namesOf = (parts: unknown) => list(parts).map((part) => String(node(part).$ref).split('/').at(-1) ?? '');
  const inherits = (name: string, from: string, visited = new Set<string>()): boolean => {
    if (name === from) return true;
    if (visited.has(name)) return false;
    visited.add(name);
    return namesOf(node(schemas[name]).allOf).some((parent) => inherits(parent, from, visited));
  };
  const changed = mapped(schemas, (schema, name) => {
    if (!isNode(schema) || !Array.isArray(schema.allOf)) return schema;
    const parents = namesOf(schema.allOf);
    const allOf = schema.allOf.map((part, i) => {
      const { oneOf, anyOf, discriminator, ...rest } = node(schemas[parents[i] ?? '']);
      return namesOf([...list(oneOf), ...list(anyOf)]).some((subtype) => inherits(subtype, name)) ? rest : part;
    });
    return { ...schema, allOf };
  });
  return components.schemas === undefined ? document : { ...document, components: { ...components, schemas: changed } };
}

/**
 * Replaces references to path items by their targets, and also references to parameters, bodies and responses that are not components,
 * because the validator resolves only components. Removes ignored parameters.
 */
function withInlinedReferences(document: Document): Document {
  const inlined = (value: unknown, isPathItem = false): unknown => {
    const { $ref, ...beside } = node(value);
    const last = typeof $ref === 'string' ? lastReference(document, $ref) : undefined;
    if (!last) return value;
    const isComponent = last.$ref.startsWith('#/components/') && !isPathItem;
    return { ...(isComponent ? { $ref: last.$ref } : last.target), ...beside };
  };
  // OpenAPI ignores header parameters with these names, because media types and security define the headers.
  const isSent = (parameter: unknown) => {
    const { $ref, ...declared } = node(parameter);
    const { in: location, name } = $ref ? node(resolvePointer(document, String($ref).slice(1))) : declared;
    return location !== 'header' || !/^(accept|content-type|authorization)$/i.test(String(name));
  };
  const withParts = (value: unknown): unknown => {
    if (!isNode(value)) return value;
    return mapped(value, (part, key) => {
      if (key === 'parameters')
        return list(part)
          .map((parameter) => inlined(parameter))
          .filter(isSent);
      if (key === 'requestBody') return inlined(part);
      return key === 'responses' ? mapped(node(part), (response) => inlined(response)) : part;
    });
  };
  const withOperations = (item: unknown) => withParts(isNode(item) ? mapped(item, withParts) : item);
  if (document.paths === undefined) return document;
  return { ...document, paths: mapped(node(document.paths), (item) => withOperations(inlined(item, true))) };
}

/** Follows a chain of references. Returns the last reference and its target; undefined if there is none. */
function lastReference(document: Document, $ref: string): { $ref: string; target: Node } | undefined {
  const target = resolvePointer(document, $ref.slice(1));
  if (!isNode(target)) return undefined;
  return typeof target.$ref === 'string' ? lastReference(document, target.$ref) : { $ref, target };
}

/** Bundles files into one document. Targets that are in other files become components of the main file. */
function bundle(text: string, main: string, read: ReadFile): Document {
  const root = node(parsed(text, main));
  const files = new Map<string, unknown>([[main, root]]);
  const components = mapped(node(root.components), (all): Record<string, unknown> => ({ ...node(all) }));
  const added = new Map<string, string>();

  const contentOf = (file: string, referrer: string): unknown => {
    if (!files.has(file)) files.set(file, parsed(textOf(file, referrer, read), file));
    return files.get(file);
  };
  const copy = (value: unknown, file: string, kind: string, hasNames = false): unknown => {
    if (Array.isArray(value)) return value.map((element) => copy(element, file, kind));
    if (!isNode(value)) return value;
    if (typeof value.$ref === 'string') {
      const { $ref, ...beside } = value;
      return { $ref: localRef(String($ref), file, kind), ...node(copy(beside, file, kind)) };
    }
    return mapped(value, (child, key) =>
      (isData(key) || key.startsWith('x-')) && !hasNames
        ? child
        : copy(child, file, kindBelow(key, kind), !hasNames && isMap(key, child)),
    );
  };
  const localRef = ($ref: string, from: string, kind: string): string => {
    const [path = '', pointer = ''] = $ref.split('#');
    if (/^[a-z]+:\/\//i.test(path))
      reject(basename(from), `$ref '${$ref}' is on another host`, 'copy the file beside the spec');
    const file = path === '' ? from : resolve(dirname(from), decoded(path));
    if (file === main) return `#${pointer}`;
    const key = `${file}#${pointer}`;
    const known = added.get(key);
    if (known) return known;
    const target = resolvePointer(contentOf(file, from), pointer);
    if (target === undefined) reject(basename(from), `$ref '${$ref}' cannot be resolved`, 'correct the reference');
    const last = pointer.split('/').at(-1) || basename(file).replace(/\.\w+$/, '');
    components[kind] ??= {};
    const named = components[kind];
    const name = unusedName(last.replaceAll(/[^\w.-]/g, '_'), Object.keys(named));
    // The name is taken before the target is copied, because the target may refer to itself.
    named[name] = undefined;
    const local = `#/components/${kind}/${name}`;
    added.set(key, local);
    named[name] = copy(target, file, kind);
    return local;
  };

  const copied = node(copy(root, main, ''));
  if (added.size === 0) return copied;
  const own = node(copied.components);
  return { ...copied, components: mapped(components, (all, kind) => ({ ...all, ...node(own[kind]) })) };
}

function parsed(text: string, path: string): unknown {
  try {
    const value: unknown = parse(text, { maxAliasCount: 1000, merge: true });
    // Throws if an alias refers to a node that contains the alias.
    JSON.stringify(value);
    return value;
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    return reject(basename(path), `the file is neither YAML nor JSON (${reason})`, 'correct the file');
  }
}

function textOf(file: string, referrer: string, read: ReadFile): string {
  try {
    return read(file);
  } catch {
    return reject(basename(referrer), `the file ${basename(file)} does not exist`, 'correct the $ref to it');
  }
}

/** The kinds of components. Each is also a key whose value contains references of this kind. */
const componentKinds = new Set(
  'schemas parameters requestBodies responses headers securitySchemes pathItems examples links callbacks'.split(' '),
);
/** The kinds of components that the values of other keys refer to. */
const kindOfKey: Readonly<Record<string, string>> = {
  schema: 'schemas',
  requestBody: 'requestBodies',
  paths: 'pathItems',
};

/** The kind of component that a reference below a key refers to. */
function kindBelow(key: string, kind: string): string {
  if (kind === 'schemas') return kind;
  return componentKinds.has(key) ? key : (kindOfKey[key] ?? kind);
}
