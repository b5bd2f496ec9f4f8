import { expect, test } from 'vitest';
import { checks, runCheck } from '../../drift/checks.ts';
import { openProject } from '../../drift/project.ts';
import { textOf } from '../../repository.ts';

const project = openProject();
const manifest = 'packages/types/package.json';

test('edits are visible only in the edited project', () => {
  const edited = project.with({ [manifest]: '{}', 'docs/new/page.md': 'new', 'README.md': undefined });
  expect(edited.read(manifest)).toBe('{}');
  expect(edited.exists('README.md')).toBe(false);
  expect(() => edited.read('README.md')).toThrow('there is no README.md');
  expect(edited.exists('docs/new')).toBe(true);
  expect(edited.list('docs')).toEqual([...project.list('docs'), 'docs/new/page.md'].sort());
  expect(edited.with({ 'docs/new/page.md': undefined }).list('docs')).toEqual(project.list('docs'));

  expect(project.read(manifest)).toBe(textOf(manifest));
  expect(project.exists('README.md')).toBe(true);
});

test('an edited module and its importers run with the edit', async () => {
  const file = 'packages/types/src/gen/service.gen.ts';
  const edited = project.with({ [file]: textOf(file).replace(/version = '.*'/, "version = '0.0.1'") });
  type Types = typeof import('@petstore/types');
  expect((await edited.load<Types>('@petstore/types')).version).toBe('0.0.1');
  expect((await project.load<Types>('@petstore/types')).version).not.toBe('0.0.1');
  const unrelated = project.with({ 'apps/server/src/handlers.ts': '' });
  expect(await unrelated.load('@petstore/types')).toBe(await project.load('@petstore/types'));
});

test('a missing or broken module cannot be loaded', async () => {
  const file = 'packages/types/src/index.ts';
  await expect(project.with({ [file]: undefined }).load('@petstore/types')).rejects.toThrow(`there is no ${file}`);
  await expect(project.with({ [file]: 'const' }).load('@petstore/types')).rejects.toThrow(SyntaxError);
});

test('TypeScript that does not compile is found at its line of the page', async () => {
  const text = textOf('packages/types/README.md').replace('fields.limit', 'fields.size');
  const line = text.split('\n').findIndex((one) => one.includes('fields.size')) + 1;
  const docs = checks.find(({ name }) => name === 'docs');
  const found = docs && (await runCheck(docs, project.with({ 'packages/types/README.md': text })));
  expect(found?.map(({ where }) => where)).toEqual([`packages/types/README.md:${line}`]);
});
