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
  const changes: Change[] = [];
  const report = (rule: string, where: string, detail: string, packages = ['petctl']) =>
    void changes.push({ level: 'major', rule, where, detail, packages });
  for (const [endpoint, { id, commands }] of was) {
    const now = is.get(endpoint);
    // A removed operation is a change by itself.
    if (!now) continue;
    if (now.id !== id) report('function renamed', endpoint, `${id} became ${now.id}`, functions);
    for (const [kind, { words, flags }] of commands) {
      const other = now.commands.get(kind);
      if (!other) report('command removed', endpoint, `'petctl ${words}' was removed`);
      else if (other.words !== words)
        report('command renamed', endpoint, `'petctl ${words}' became 'petctl ${other.words}'`);
      for (const [input, name] of other ? flags : []) {
        const flag = other?.flags.get(input);
        if (flag === undefined) report('flag removed', `petctl ${words}`, `--${name} was removed`);
        else if (flag !== name) report('flag renamed', `petctl ${words}`, `--${name} became --${flag}`);
      }
    }
  }
  return changes;
}

/** The commands of operations. */
export function commandsOf(operations: readonly Operation[], petctl: Commands): Set<string> {
  const found = [...namesOf(operations, petctl).values()].flatMap(({ commands }) => [...commands.values()]);
  return new Set(found.map(({ words }) => `petctl ${words}`));
}

/** The packages that have one function for each operation. */
const functions = ['@petstore/types', '@petstore/client', '@petstore/server'];

interface Names {
  readonly id: string;
  /** The command that calls it, and the one that calls it for each line of a file. */
  readonly commands: Map<'call' | 'import', Command>;
}

interface Command {
  readonly words: string;
  /** The names of flags by what they set: an input, a property of one, or something of petctl's own. */
  readonly flags: ReadonlyMap<string, string>;
}

/** The names of each operation, by its endpoint. */
function namesOf(operations: readonly Operation[], { fullTree, walk }: Commands): Map<string, Names> {
  const found = new Map(
    operations.map(({ id, method, path }): [string, Names] => [`${method} ${path}`, { id, commands: new Map() }]),
  );
  for (const { path, node } of walk(fullTree(operations))) {
    const { operation, flags = [] } = node;
    if (!operation) continue;
    const words = path.join(' ');
    const kind = words === operation.command.join(' ') ? 'call' : 'import';
    const command = { words, flags: new Map(flags.map((flag) => [inputOf(flag), flag.name])) };
    found.get(`${operation.method} ${operation.path}`)?.commands.set(kind, command);
  }
  return found;
}

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
