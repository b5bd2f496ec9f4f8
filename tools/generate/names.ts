// The names of what is generated.
import { keywords } from '@hey-api/openapi-ts';
import ts from 'typescript';
import { textOf } from '../repository.ts';
import { listOf, type Node } from './document.ts';

/** The entries of the packages that export the types of schemas. */
const entries = ['packages/types/src/index.ts', 'packages/client/src/index.ts'];

const taken = new Set([
  ...keywords.browserGlobals,
  ...keywords.javaScriptGlobals,
  ...entries.flatMap(exportedNames),
]);

/**
 * The TypeScript name of a schema: `Api…` where the name would hide a global or an export of the
 * packages.
 */
export function typeName(schema: string): string {
  return taken.has(schema) ? `Api${schema}` : schema;
}

/** The name of a type of an operation, such as `ListPetsData`. */
export function operationType(id: string, part: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1) + part;
}

/**
 * The words of an operation's petctl command: those of `x-command`, or the tag and the operationId
 * without the nouns of the tag. They depend on this operation only, so that a new operation never
 * renames a command.
 */
export function commandOf(operation: Node, path: string): string[] {
  const chosen = operation['x-command'];
  if (chosen !== undefined) return String(chosen).split(' ');
  const [tag = firstSegment(path)] = listOf(operation.tags);
  const group = kebabCase(String(tag));
  const nouns = nounsOf(group);
  const [verb, ...others] = kebabCase(String(operation.operationId)).split('-');
  // The verb stays even if it is also a noun of the tag.
  const words = [verb, ...others.filter((word) => !nouns.has(word))];
  return [group, words.join('-')];
}

/** `categoryId` as `category-id`. */
export function kebabCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
}

/**
 * The names that a module exports from files of its package, without those of schemas, which it
 * does not list.
 */
function exportedNames(file: string): string[] {
  const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest);
  return source.statements.filter(ts.isExportDeclaration).flatMap(listedNames);
}

/** `call` and `Call` of `export { call, type Call } from './call.ts'`. */
function listedNames({ moduleSpecifier, exportClause }: ts.ExportDeclaration): string[] {
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) return [];
  if (!moduleSpecifier.text.startsWith('./')) return [];
  if (!exportClause || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map(({ name }) => name.text);
}

/** `/pets/{petId}` as `pets`. */
function firstSegment(path: string): string {
  const segments = path.split('/');
  return segments.find((segment) => segment !== '' && !segment.includes('{')) ?? 'root';
}

/**
 * The words of a tag, also in the singular: `pet-owners` has `pet`, `owners`, `owner` and
 * `pet-owner`.
 */
function nounsOf(group: string): Set<string> {
  const words = group.split('-');
  return new Set([...words, ...words.map(singular), singular(group)]);
}

/** `pets` as `pet`, and `categories` as `category`; `status`, `address` and `analysis` stay. */
function singular(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(noun)) return noun;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}
