import { posix } from 'node:path';
import type { Operation } from '@petstore/types';
import type { Flag } from 'petctl/internal';
import { released } from '../../../repository.ts';
import { node, type Spec } from '../../openapi.ts';
import type { Change } from './rules.ts';

/** The functions of petctl that build commands from operations. */
export type Commands = Pick<typeof import('petctl/internal'), 'fullTree' | 'walk'>;

/**
 * The names that scripts and programs use and that were removed: functions of the client, commands of petctl, and their
 * flags. Both sides are the generator's operations, so a name that changes because another operation was added is found too.
 */
export function compareNames(before: readonly Operation[], after: readonly Operation[], petctl: Commands): Change[] {
  const [was, is] = [namesOf(before, petctl), namesOf(after, petctl)];
  return [...was].flatMap(([key, { kind, parent, where, name }]): Change[] => {
    const now = is.get(key)?.name;
    // A removed operation is a change by itself, and a removed command is one with its flags.
    if (now === name || !is.has(parent)) return [];
    const [rule, detail] = now === undefined ? ['removed', 'was removed'] : ['renamed', `became ${now}`];
    const packages = kind === 'function' ? functions : ['petctl'];
    return [{ level: 'major', rule: `${kind} ${rule}`, where, detail: `${name} ${detail}`, packages }];
  });
}

/** The packages that have one function for each operation. */
const functions = ['@petstore/types', '@petstore/client', '@petstore/server'];

interface Name {
  readonly kind: 'function' | 'command' | 'flag';
  /** The key of the function of a command, and of the command of a flag. */
  readonly parent: string;
  readonly where: string;
  readonly name: string;
}

/** The names of functions, commands and flags, by what they stand for. */
function namesOf(operations: readonly Operation[], { fullTree, walk }: Commands): Map<string, Name> {
  const found = new Map<string, Name>();
  for (const { id, method, path } of operations) {
    const endpoint = `${method} ${path}`;
    found.set(endpoint, { kind: 'function', parent: endpoint, where: endpoint, name: id });
  }
  for (const { path, node } of walk(fullTree(operations))) {
    const { operation, flags = [] } = node;
    if (!operation) continue;
    const words = path.join(' ');
    const endpoint = `${operation.method} ${operation.path}`;
    // An operation has one command that calls it, and may have one that calls it for each line of a file.
    const command = `${endpoint} ${words === operation.command.join(' ') ? 'call' : 'import'}`;
    found.set(command, { kind: 'command', parent: endpoint, where: endpoint, name: `'petctl ${words}'` });
    for (const flag of flags) {
      const name = `--${flag.name}`;
      found.set(`${command} ${inputOf(flag)}`, { kind: 'flag', parent: command, where: `petctl ${words}`, name });
    }
  }
  return found;
}

/** What a flag sets: an input, a property of one, or something of petctl's own. */
function inputOf({ name, field, property }: Flag): string {
  // No path of an input holds this word.
  return JSON.stringify(property ?? (field === undefined ? { own: name } : [field]));
}

type NamesIn = (text: string) => string[];

const matchesOf =
  (pattern: RegExp): NamesIn =>
  (text) =>
    text.match(pattern) ?? [];

/** The commands of petctl's reference, and their flags: list items, in older references rows. */
const commandsIn: NamesIn = (text) =>
  text.split(/^## /m).flatMap((section) => {
    const [title = '', ...lines] = section.split('\n');
    const flags = lines.flatMap((line) => /^(?:-|\|) `(-.*?)`/.exec(line)?.[1]?.match(/(?<![\w-])--?[\w[\]-]+/g) ?? []);
    return [...(title.startsWith('petctl ') ? [title] : []), ...flags.map((flag) => `${title} ${flag}`)];
  });

/** Names that scripts use and that no spec has, by the page that lists them. */
const lists: readonly (readonly [page: string, packageName: string, kind: string, namesIn: NamesIn])[] = [
  ['docs/petctl.md', 'petctl', 'command or flag', commandsIn],
  ['docs/petctl.md', 'petctl', 'variable', matchesOf(/\bPETCTL_\w+/g)],
  [
    'docs/operating.md',
    '@petstore/server',
    'variable or flag',
    matchesOf(/(?<=^\| `)[A-Z_]+(?=`)|(?<=^\|.*\| `)--[a-z-]+/gm),
  ],
];

/** Reads a file; nothing where there is none. */
export type ReadText = (file: string) => string | undefined;

/** A spec, and the files beside it. */
interface Version {
  readonly spec: Spec;
  readonly read: ReadText;
}

/** The names of pages and packages that were removed, without those of operations, which `compareNames` and `compareSpecs` compare. */
export function compareOtherNames(before: Version, after: Version, petctl: Commands): Change[] {
  const ofOperations = namesOfOperations(before.spec, after.spec, petctl);
  const removed = (where: string, kind: string, packageName: string, namesBy: (read: ReadText) => string[]): Change[] =>
    [...new Set(namesBy(before.read)).difference(new Set(namesBy(after.read)))]
      .filter((one) => !ofOperations.has(one.replace(/ -.*|(?:Data|Errors?|Responses?)$/, '')))
      .map((one) => ({
        level: 'major',
        rule: `${kind} removed`,
        where,
        detail: `${one} was removed`,
        packages: [packageName],
      }));
  return [
    ...lists.flatMap(([page, packageName, kind, namesIn]) =>
      removed(page, kind, packageName, (read) => namesIn(read(page) ?? '')),
    ),
    ...released.flatMap((folder) => {
      const { name = '' } = manifestOf(folder, before.read);
      return removed(folder, 'export', name, (read) => exportsOfPackage(folder, read));
    }),
  ];
}

/** The names of commands, functions and types of operations, and those of the schemas that only removed operations used. */
function namesOfOperations(before: Spec, after: Spec, { fullTree, walk }: Commands): Set<string> {
  const operations = before.model.operations.map(({ operation }) => operation);
  const commands = [...walk(fullTree(operations))].filter(({ node }) => node.operation);
  const left = [...before.operations].filter(([endpoint]) => after.operations.has(endpoint));
  const used = schemasBelow(before, left);
  const unused = Object.keys(before.root.components?.schemas ?? {}).filter((name) => !used.has(name));
  const types = [...operations.map(({ id }) => id), ...unused].map((name) => name[0]?.toUpperCase() + name.slice(1));
  return new Set([
    ...commands.map(({ path }) => `petctl ${path.join(' ')}`),
    ...operations.map(({ id }) => id),
    ...types,
  ]);
}

/** The names of the schemas that a part of a spec refers to, also through other components. */
function schemasBelow({ root }: Spec, part: unknown): Set<string> {
  const found = new Map<string, string>();
  const visit = (one: unknown) => {
    for (const [pointer, kind = '', name = ''] of (JSON.stringify(one) ?? '').matchAll(
      /#\/components\/(\w+)\/([^"/]+)/g,
    ))
      if (!found.has(pointer)) {
        found.set(pointer, kind === 'schemas' ? name : '');
        visit(node(node(root.components)[kind])[name]);
      }
  };
  visit(part);
  return new Set(found.values());
}

interface Manifest {
  readonly name?: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly publishConfig?: { readonly exports?: object };
}

function manifestOf(folder: string, read: ReadText): Manifest {
  return JSON.parse(read(`${folder}/package.json`) ?? '{}');
}

/** The names that a published package exports; behind those of an entry of its own, the entry. */
function exportsOfPackage(folder: string, read: ReadText): string[] {
  const { exports = {}, publishConfig } = manifestOf(folder, read);
  return Object.keys(publishConfig?.exports ?? {}).flatMap((entry) => {
    const names = exportsOf(posix.join(folder, String(exports[entry])), read);
    return names.map((name) => (entry === '.' ? name : `${name} of ${entry}`));
  });
}

/** The names that a module exports. */
function exportsOf(file: string, read: ReadText): string[] {
  const text = read(file) ?? '';
  const declared = text.matchAll(/^export (?:abstract |async )?(?:class|const|function|interface|type) (\w+)/gm);
  const listed = text.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  const modules = text.matchAll(/^export (?:type )?\* from '(.*)'/gm);
  return [
    ...[...declared].map(([, name = '']) => name),
    ...[...listed].flatMap(([, names = '']) => names.split(',').flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? [])),
    ...[...modules].flatMap(([, from = '']) =>
      exportsOf(from.startsWith('.') ? posix.join(posix.dirname(file), from) : moduleOf(from), read),
    ),
  ];
}

/** The main module of a package of the workspace. */
const moduleOf = (name: string) => name.replace('@petstore/', 'packages/').concat('/src/index.ts');
