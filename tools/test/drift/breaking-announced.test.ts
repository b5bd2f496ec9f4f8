import { expect, test } from 'vitest';
import { breakingChanges } from '../../drift/checks/breaking-changes.ts';
import { type Edits, openProject } from '../../drift/project.ts';
import { generateEverything } from '../../generate/everything.ts';
import { readModel } from '../../generate/generate.ts';

const shipped = openProject();
const specFile = 'spec/openapi.yaml';
const spec = shipped.read(specFile);
const every = ['@petstore/spec', '@petstore/types', '@petstore/client', 'petctl', '@petstore/server'];

/** The announcements that are missing after an edit of the spec. The base has the files of `committed`, too. */
async function unannounced(change: (text: string) => string, written: Edits = {}, committed: Edits = {}) {
  const base = shipped.with({ [specFile]: spec, ...committed });
  const edited = shipped.with({ ...committed, [specFile]: change(spec), ...written });
  const project = Object.create(edited, { base: { value: { name: 'the base', read: base.read } } });
  return (await breakingChanges.run(project)).map(({ fix }) => fix.replace('npx changeset, and choose ', ''));
}

const changeset = (bump: string, packages = every) =>
  `---\n${packages.map((name) => `"${name}": ${bump}`).join('\n')}\n---\n\nMore.\n`;
const announced = (bump: string, packages?: string[]) => ({ '.changeset/one.md': changeset(bump, packages) });

/** The code that is generated from a spec. */
const generatedFrom = async (text: string) => Object.fromEntries(await generateEverything(readModel(text)));

const broken = (text: string) => text.replace('maximum: 100', 'maximum: 50');
const extended = (text: string) => text.replace('maximum: 100', 'maximum: 200');
const renamed = (text: string) => text.replace('x-pagination:', 'x-command: pets all\n      x-pagination:');

test('a change of the interface is announced for every package', async () => {
  expect(await unannounced(broken)).toEqual([`major for ${every.join(', ')}`]);
  expect(await unannounced(broken, announced('major'))).toEqual([]);
  expect(await unannounced(extended, announced('minor'))).toEqual([]);
  expect(await unannounced(extended, announced('major'))).toEqual([]);
});

test('a changeset for another package, or of a smaller bump, does not announce it', async () => {
  expect(await unannounced(broken, announced('major', ['petctl']))).toEqual([
    'major for @petstore/spec, @petstore/types, @petstore/client, @petstore/server',
  ]);
  expect(await unannounced(broken, announced('minor'))).toEqual([`major for ${every.join(', ')}`]);
  expect(await unannounced(extended, announced('patch'))).toEqual([`minor for ${every.join(', ')}`]);
});

test('another name of a command is announced for petctl alone', async () => {
  expect(await unannounced(renamed)).toEqual(['major for petctl']);
  expect(await unannounced(renamed, announced('major', ['petctl']))).toEqual([]);
});

test('another name of a function is announced for the packages that have it', async () => {
  const edit = (text: string) =>
    text.replaceAll('listPets', 'queryPets').replace('x-pagination:', 'x-command: pets list\n      x-pagination:');
  expect(await unannounced(edit)).toContain('major for @petstore/types, @petstore/client, @petstore/server');
});

test('another name of a schema is announced for the packages that export its type', async () => {
  const edit = (text: string) => text.replaceAll('PetStatus', 'Availability');
  const written = await generatedFrom(edit(spec));
  expect(await unannounced(edit, written)).toEqual(['major for @petstore/types', 'major for @petstore/client']);
  expect(
    await unannounced(edit, { ...written, ...announced('major', ['@petstore/types', '@petstore/client']) }),
  ).toEqual([]);
});

test('the names and schemas of an operation that is removed after its sunset are no further changes', async () => {
  const before = spec
    .replaceAll('2030-12-05', '2020-12-05')
    .replace('schemas/PetId"\n          example', 'schemas/Lookup"\n          example')
    .replace('    PetStatus:', '    Lookup: {type: integer, format: int64}\n    PetStatus:');
  const after = before
    .replace(/ {2}\/pets\/\{petId\}:\n[\s\S]*?(?=\n {2}\/|\ncomponents:)/, '')
    .replace(/ {4}Lookup: .*\n/, '');
  const made = async (text: string) => ({ ...(await generatedFrom(text)), [specFile]: text });
  expect(await unannounced(() => after, await made(after), await made(before))).toEqual([
    `minor for ${every.join(', ')}`,
  ]);
});

test('an unchanged changeset of the base does not announce a new change', async () => {
  expect(await unannounced(broken, {}, announced('major'))).toEqual([`major for ${every.join(', ')}`]);
  expect(
    await unannounced(broken, { '.changeset/one.md': `${changeset('major')}And this.\n` }, announced('major')),
  ).toEqual([]);
});

test('a release that raises the version announces its changes', async () => {
  const to = (version: string) => (text: string) => broken(text).replace('version: 1.0.0', `version: ${version}`);
  expect(await unannounced(to('2.0.0'))).toEqual([]);
  expect(await unannounced(to('1.1.0'))).toEqual([`major for ${every.join(', ')}`]);
});

test('before the first major version a break is minor', async () => {
  const initial = (text: string) => text.replace('version: 1.0.0', 'version: 0.3.0');
  const written = announced('minor');
  expect(await unannounced((text) => broken(initial(text)), written, { [specFile]: initial(spec) })).toEqual([]);
  expect(await unannounced((text) => broken(initial(text)), {}, { [specFile]: initial(spec) })).toEqual([
    `minor for ${every.join(', ')}`,
  ]);
});

test.each<[string, string, [string | RegExp, string], string]>([
  ["a flag of petctl's own", 'docs/petctl.md', ['`--base-url <url>`', '`--address <url>`'], 'petctl'],
  ["a command of petctl's own", 'docs/petctl.md', ['## petctl auth token', '## petctl auth show'], 'petctl'],
  ['a variable of petctl', 'docs/petctl.md', [/PETCTL_RETRIES/g, 'PETCTL_TRIES'], 'petctl'],
  [
    'a variable of the server',
    'docs/operating.md',
    ['| `PETSTORE_WORKERS`', '| `PETSTORE_PROCESSES`'],
    '@petstore/server',
  ],
  ['a flag of the server', 'docs/operating.md', ['| `--workers`', '| `--processes`'], '@petstore/server'],
  ['an export of the client', 'packages/client/src/index.ts', ['type Paged', 'type Pages'], '@petstore/client'],
  ['an export of the server', 'apps/server/src/index.ts', ['memoryStore', 'memoryStore as store'], '@petstore/server'],
  [
    'an export of another entry of the client',
    'packages/client/src/testing/index.ts',
    ['function fakeService', 'function fake'],
    '@petstore/client',
  ],
  ['an entry of the client', 'packages/client/package.json', [/"\.\/check"/g, '"./checks"'], '@petstore/client'],
])('removing %s is a break', async (_, file, [from, to], name) => {
  const before = shipped.read(file);
  const gone = (text: string) => unannounced((spec) => spec, { [file]: text }, { [file]: before });
  expect(new Set(await gone(before.replace(from, to)))).toEqual(new Set([`major for ${name}`]));
  expect(await gone(`${before}\n`)).toEqual([]);
});
