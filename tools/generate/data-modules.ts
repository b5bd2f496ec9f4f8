// Writes the operations, the service and the whole spec as data.
import type { Schema } from '@petstore/types';
import { Code, docComment, identifier, literal } from './code.ts';
import { type Document, resolvePointer, unusedName } from './document.ts';
import type { Model } from './model.ts';
import { supportedSchema } from './schemas.ts';

/** `operations.gen.ts`: every operation as data. A schema that several operations use is written once. */
export function operationsModule({ operations, document }: Model): string {
  const shared = new SharedSchemas(document);
  const table = Object.fromEntries(operations.map(({ operation }) => [operation.id, operation]));
  const body = literal(table, '', shared.code);
  return [
    ...shared.declarations,
    `${docComment(['Recursive schemas by name, the last part of a `$ref` to them.'])}`,
    `export const schemas = ${literal(shared.recursive)} as const;`,
    '',
    docComment(['All operations as data, by operationId.']),
    `export const operations = ${body} as const;`,
    '',
  ].join('\n');
}

/** `service.gen.ts`: the service. The version and the deployments are separate constants, so a bundle can contain only these. */
export function serviceModule({ service: { deployments, version, ...rest } }: Model): string {
  const service = { ...rest, version: new Code('version'), deployments: new Code('deployments') };
  return [
    docComment(['The version of the interface.']),
    `export const version = ${literal(version)} as const;`,
    '',
    docComment(['The addresses of the deployments.']),
    `export const deployments = ${literal(deployments)} as const;`,
    '',
    docComment(['The service: its title, the status of each error code, the headers of its responses, its security.']),
    `export const service = ${literal(service)} as const;`,
    '',
  ].join('\n');
}

/** The parsed spec as a module. Its keys are sorted, so another order in the spec does not change the module. */
export function documentModule({ document }: Model): string {
  const json = JSON.stringify(sorted(document), null, 2);
  // In source code, the property `"__proto__"` would set the prototype, but the computed property does not.
  const source = json.replace(/^( *)("__proto__"):/gm, '$1[$2]:');
  return `/** The whole spec, with sorted keys. Documentation pages show spec/openapi.yaml, whose keys are in the written order. */
export const openApiDocument: object = ${source};
`;
}

/** The same value with the keys of all its objects sorted. */
export function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])])) as T;
}

/** Writes components as constants, each before its first use. A reference to a component within itself stays a reference. */
class SharedSchemas {
  readonly declarations: string[] = [];
  readonly recursive: Record<string, Code> = {};
  readonly #document: Document;
  /** The names of the constants by their references. */
  readonly #names = new Map<string, string>();
  /** The references whose constants are being written. */
  readonly #open = new Set<string>();

  constructor(document: Document) {
    this.#document = document;
  }

  /** The constant for a reference. */
  readonly code = (value: object): Code | undefined => {
    const { $ref, ...beside } = value as Schema;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined;
    const name = this.#names.get($ref) ?? this.#write($ref);
    if (this.#open.has($ref)) {
      this.recursive[$ref.slice('#/components/schemas/'.length)] = new Code(name);
      return new Code(literal(value));
    }
    if (Object.keys(beside).length === 0) return new Code(name);
    return new Code(`{ ...${name}, ${literal(beside, '', this.code).slice(1, -1).trim()} }`);
  };

  /** Writes the constant for a reference, and returns its name. */
  #write($ref: string): string {
    const component = identifier($ref.replace('#/components/schemas/', ''));
    const name = unusedName(`${component}Schema`, [...this.#names.values()]);
    this.#names.set($ref, name);
    this.#open.add($ref);
    const schema = supportedSchema(resolvePointer(this.#document, $ref.slice(1)), $ref.slice(2).replaceAll('/', '.'));
    const text = literal(schema, '', this.code);
    this.#open.delete($ref);
    this.declarations.push(`const ${name} = ${text} as const;\n`);
    return name;
  }
}
