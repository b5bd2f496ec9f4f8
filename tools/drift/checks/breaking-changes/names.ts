import { posix } from 'node:path';
import type { Flag } from 'petctl/internal';
import { released } from '../../../repository.ts';
import { node, type Spec } from '../../openapi.ts';
import type { Manifest } from '../versions.ts';
import type { Change } from './location.ts';

/** The functions of petctl that build commands from operations. */
export type Commands = Pick<typeof import('petctl/internal'), 'fullTree' | 'walk'>;

/** Reads a file. Returns undefined if the file does not exist. */
type ReadText = (file: string) => string | undefined;

/** A spec, and the files of the same commit. */
export interface Version {
  readonly spec: Spec;
  readonly read: ReadText;
}

/** The removed and renamed names that scripts and programs use. */
export function compareNames(before: Version, after: Version, petctl: Commands): Change[] {
  return [...compareOperationNames(before.spec, after.spec, petctl), ...compareListedNames(before, after, petctl)];
}

/**
 * The removed and renamed functions, commands and flags of operations. The names are generated from both specs, so a name that
 * changes because another operation was added is found, too.
 */
function compareOperationNames(before: Spec, after: Spec, petctl: Commands): Change[] {
  const [names, namesAfter] = [namesOf(before, petctl), namesOf(after, petctl)];
  return [...names].flatMap(([key, { kind, parent, where, name }]): Change[] => {
    const nameAfter = namesAfter.get(key)?.name;
    // `compareSpecs` reports a removed operation. A removed command and its flags are one change.
    if (nameAfter === name || !namesAfter.has(parent)) return [];
    const [rule, detail] = nameAfter === undefined ? ['removed', 'was removed'] : ['renamed', `became ${nameAfter}`];
    const packages = kind === 'function' ? functionPackages : ['petctl'];
    return [{ level: 'major', rule: `${kind} ${rule}`, where, detail: `${name} ${detail}`, packages }];
  });
}

/** The packages that have one function for each operation. */
const functionPackages = ['@petstore/types', '@petstore/client', '@petstore/server'];

interface Name {
  readonly kind: 'function' | 'command' | 'flag';
  /** The key of its owner: a flag's command, or a command's function. A function has its own key here. */
  readonly parent: string;
  readonly where: string;
  readonly name: string;
}

/** The names of functions, commands and flags. Keys lack the names, except for flags that are no input. */
function namesOf({ model }: Spec, { fullTree, walk }: Commands): Map<string, Name> {
  const operations = model.operations.map(({ operation }) => operation);
  const names = new Map<string, Name>();
  for (const { id, method, path } of operations) {
    const endpoint = `${method} ${path}`;
    names.set(endpoint, { kind: 'function', parent: endpoint, where: endpoint, name: id });
  }
  for (const { path, node } of walk(fullTree(operations))) {
    const { operation, flags = [] } = node;
    if (!operation) continue;
    const words = path.join(' ');
    const endpoint = `${operation.method} ${operation.path}`;
    // An operation has one command that calls it, and may have one that calls it for each line of a file.
    const command = `${endpoint} ${words === operation.command.join(' ') ? 'call' : 'import'}`;
    names.set(command, { kind: 'command', parent: endpoint, where: endpoint, name: `'petctl ${words}'` });
    for (const flag of flags) {
      const name = `--${flag.name}`;
      names.set(`${command} ${inputOf(flag)}`, { kind: 'flag', parent: command, where: `petctl ${words}`, name });
    }
  }
  return names;
}

/** The key of a flag: the path of its input or property, or the name of a flag that is no input. */
function inputOf({ name, field, property }: Flag): string {
  return JSON.stringify(property ?? (field === undefined ? { own: name } : [field]));
}

/** The removed names that pages list or packages export, without the names of operations. */
function compareListedNames(before: Version, after: Version, petctl: Commands): Change[] {
  const ofOperations = namesOfOperations(before.spec, after.spec, petctl);
  const isOfOperation = (name: string) =>
    ofOperations.has(name.replace(/ -.*$/, '').replace(/(?:Data|Errors?|Responses?)$/, ''));
  const exportLists = released.map((folder): NameList => {
    const { name = '' } = manifestOf(folder, before.read);
    return [folder, name, 'export', (read) => exportsOfPackage(folder, read)];
  });
  return [...pageLists, ...exportLists].flatMap(([where, packageName, kind, namesBy]) =>
    [...new Set(namesBy(before.read)).difference(new Set(namesBy(after.read)))]
      .filter((name) => !isOfOperation(name))
      .map((name): Change => {
        const detail = `${name} was removed`;
        return { level: 'major', rule: `${kind} removed`, where, detail, packages: [packageName] };
      }),
  );
}

/** Names that users of a package need. */
type NameList = readonly [where: string, packageName: string, kind: string, namesBy: (read: ReadText) => string[]];

const pageLists: readonly NameList[] = [
  ['docs/petctl.md', 'petctl', 'command or flag', (read) => commandsIn(read('docs/petctl.md') ?? '')],
  ['docs/petctl.md', 'petctl', 'variable', (read) => read('docs/petctl.md')?.match(/\bPETCTL_\w+/g) ?? []],
  [
    'docs/operating.md',
    '@petstore/server',
    'variable or flag',
    (read) => read('docs/operating.md')?.match(/(?<=^\| `)[A-Z_]+(?=`)|(?<=^\|.*\| `)--[a-z-]+/gm) ?? [],
  ],
];

/** The commands in petctl's reference, and their flags. The flags are list items; in older references they are rows. */
function commandsIn(reference: string): string[] {
  return reference.split(/^## /m).flatMap((section) => {
    const [title = '', ...lines] = section.split('\n');
    const flags = lines.flatMap((line) => /^(?:-|\|) `(-.*?)`/.exec(line)?.[1]?.match(/(?<![\w-])--?[\w[\]-]+/g) ?? []);
    return [...(title.startsWith('petctl ') ? [title] : []), ...flags.map((flag) => `${title} ${flag}`)];
  });
}

/** The names of commands, functions and types of operations, and of the schemas that only removed operations used. */
function namesOfOperations(before: Spec, after: Spec, { fullTree, walk }: Commands): Set<string> {
  const operations = before.model.operations.map(({ operation }) => operation);
  const commands = [...walk(fullTree(operations))].filter(({ node }) => node.operation);
  const ids = operations.map(({ id }) => id);
  const remaining = [...before.operations].filter(([endpoint]) => after.operations.has(endpoint));
  const used = schemasBelow(before, remaining);
  const unused = Object.keys(before.root.components?.schemas ?? {}).filter((name) => !used.has(name));
  const types = [...ids, ...unused].map((name) => name[0]?.toUpperCase() + name.slice(1));
  return new Set([...commands.map(({ path }) => `petctl ${path.join(' ')}`), ...ids, ...types]);
}

/** The names of the schemas that a part of a spec refers to, also through other components. */
function schemasBelow({ root }: Spec, part: unknown): Set<string> {
  const pointers = new Set<string>();
  const names = new Set<string>();
  const visit = (value: unknown) => {
    const references = (JSON.stringify(value) ?? '').matchAll(/#\/components\/(\w+)\/([^"/]+)/g);
    for (const [pointer, kind = '', name = ''] of references) {
      if (pointers.has(pointer)) continue;
      pointers.add(pointer);
      if (kind === 'schemas') names.add(name);
      visit(node(node(root.components)[kind])[name]);
    }
  };
  visit(part);
  return names;
}

function manifestOf(folder: string, read: ReadText): Partial<Manifest> {
  return JSON.parse(read(`${folder}/package.json`) ?? '{}');
}

/** The names that a published package exports: `name`, or for an entry other than `.`, `name of entry`. */
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
    ...[...listed].flatMap(([, names = '']) => names.match(/\w+(?=\s*(?:,|$))/g) ?? []),
    ...[...modules].flatMap(([, from = '']) =>
      exportsOf(from.startsWith('.') ? posix.join(posix.dirname(file), from) : moduleOf(from), read),
    ),
  ];
}

/** The main module of a package of the workspace. */
const moduleOf = (name: string) => name.replace('@petstore/', 'packages/').concat('/src/index.ts');
