import type { Operation } from '@petstore/types';
import type { Flag } from 'petctl/internal';
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

/** The commands of operations. */
export function commandsOf(operations: readonly Operation[], { fullTree, walk }: Commands): Set<string> {
  const commands = [...walk(fullTree(operations))].filter(({ node }) => node.operation);
  return new Set(commands.map(({ path }) => `petctl ${path.join(' ')}`));
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

const exportsIn: NamesIn = (text) =>
  [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []),
  );

/** Names that scripts and programs use and that no spec has, by the file that lists them. */
const lists: readonly (readonly [file: string, name: string, names: string, namesIn: NamesIn])[] = [
  ['docs/petctl.md', 'petctl', 'command or flag', commandsIn],
  ['docs/petctl.md', 'petctl', 'variable', matchesOf(/\bPETCTL_\w+/g)],
  [
    'docs/operating.md',
    '@petstore/server',
    'variable or flag',
    matchesOf(/(?<=^\| `)[A-Z_]+(?=`)|(?<=^\|.*\| `)--[a-z-]+/gm),
  ],
  ['packages/types/src/index.ts', '@petstore/types', 'export', exportsIn],
  ['packages/client/src/index.ts', '@petstore/client', 'export', exportsIn],
  ['apps/server/src/index.ts', '@petstore/server', 'export', exportsIn],
];

/** Reads a file; nothing where there is none. */
export type ReadText = (file: string) => string | undefined;

/** The listed names that were removed. Those of `commands` are compared by what they call and set, and not here. */
export function compareListedNames(before: ReadText, after: ReadText, commands: ReadonlySet<string>): Change[] {
  return lists.flatMap(([file, name, names, namesIn]) => {
    const listedBy = (read: ReadText) => new Set(namesIn(read(file) ?? ''));
    const removed = listedBy(before).difference(listedBy(after));
    return [...removed]
      .filter((one) => !commands.has(one.split(' -')[0] ?? one))
      .map((one): Change => {
        return {
          level: 'major',
          rule: `${names} removed`,
          where: file,
          detail: `${one} was removed`,
          packages: [name],
        };
      });
  });
}
