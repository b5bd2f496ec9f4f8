// What editors show for the client: the documentation of each symbol, as TypeScript's language service finds it.
import { join } from 'node:path';
import { operations } from '@petstore/types';
import ts from 'typescript-6';
import { expect, test } from 'vitest';
import { root } from '../repository.ts';

const shown = `
import type { CallOptions, Hooks, Options, Page, PetstoreError, petstore } from '@petstore/client';
import type { FakeOptions, FakeService, Interruption } from '@petstore/client/testing';

export interface Shown {
  store: ReturnType<typeof petstore>;
  options: Required<Options>;
  callOptions: Required<CallOptions>;
  hooks: Required<Hooks>;
  error: Omit<PetstoreError, 'name' | 'message' | 'stack' | 'cause'>;
  fake: FakeService;
  interruption: Required<Interruption>;
  fakeOptions: Required<FakeOptions>;
${Object.values(operations)
  .map(({ id }) => `  input_${id}: Required<NonNullable<Parameters<ReturnType<typeof petstore>['${id}']>[0]>>;`)
  .join('\n')}
}
export type { Page };
`;

/** The documentation of the properties of each member of `Shown`. */
function documented() {
  const file = join(root, 'tools/test/shown.ts');
  const options: ts.CompilerOptions = {
    ...{ module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true },
    ...{ allowImportingTsExtensions: true, noEmit: true, skipLibCheck: true },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...others) =>
    name === file ? ts.createSourceFile(name, shown, ts.ScriptTarget.ES2022, true) : getSourceFile(name, ...others);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  const checker = program.getTypeChecker();
  const declaration = source?.statements.find(ts.isInterfaceDeclaration);
  if (!declaration) throw new Error('the program is not read');
  const members = checker.getTypeAtLocation(declaration).getProperties();
  return members.flatMap((member) =>
    checker
      .getTypeOfSymbolAtLocation(member, declaration)
      .getProperties()
      .map((property) => ({
        name: `${member.name}.${property.name}`,
        text: ts.displayPartsToString(property.getDocumentationComment(checker)),
        tags: property.getJsDocTags(checker).map((tag) => tag.name),
      })),
  );
}

const symbols = documented();

test('every method, input, option, callback and error property has documentation', () => {
  expect(symbols.length).toBeGreaterThan(40);
  expect(symbols.filter(({ text }) => text === '').map(({ name }) => name)).toEqual([]);
});

test('deprecated operations are struck through, in the form that the README shows first', () => {
  const deprecated = Object.values(operations).filter((operation) => operation.deprecated);
  expect(symbols.filter(({ tags }) => tags.includes('deprecated')).map(({ name }) => name)).toEqual(
    deprecated.map(({ id }) => `store.${id}`),
  );
});
