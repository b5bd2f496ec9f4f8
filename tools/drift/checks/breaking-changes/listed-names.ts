import type { Change } from './rules.ts';

type NamesIn = (text: string) => string[];

const all =
  (pattern: RegExp): NamesIn =>
  (text) =>
    text.match(pattern) ?? [];

/** The commands of petctl's reference, and their flags. */
const commandsIn: NamesIn = (text) =>
  text.split(/^## /m).flatMap((section) => {
    const [title = '', ...lines] = section.split('\n');
    const flags = lines.flatMap((line) => /^\| `(-.*?)`/.exec(line)?.[1]?.match(/(?<![\w-])--?[\w[\]-]+/g) ?? []);
    return [...(title.startsWith('petctl ') ? [title] : []), ...flags.map((flag) => `${title} ${flag}`)];
  });

const exportsIn: NamesIn = (text) =>
  [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []),
  );

/** Names that scripts and programs use and that no spec has, by the file that lists them. */
const lists: readonly (readonly [file: string, name: string, names: string, namesIn: NamesIn])[] = [
  ['docs/petctl.md', 'petctl', 'command or flag', commandsIn],
  ['docs/petctl.md', 'petctl', 'variable', all(/\bPETCTL_\w+/g)],
  [
    'docs/operating.md',
    '@petstore/server',
    'variable or flag',
    all(/(?<=^\| `)[A-Z_]+(?=`)|(?<=^\|.*\| `)--[a-z-]+/gm),
  ],
  ['packages/types/src/index.ts', '@petstore/types', 'export', exportsIn],
  ['packages/client/src/index.ts', '@petstore/client', 'export', exportsIn],
  ['apps/server/src/index.ts', '@petstore/server', 'export', exportsIn],
];

/** Reads a file; nothing where there is none. */
export type ReadText = (file: string) => string | undefined;

/** The listed names that are gone. Those of `commands` are compared by what they call and set, and not here. */
export function compareListedNames(before: ReadText, after: ReadText, commands: ReadonlySet<string>): Change[] {
  return lists.flatMap(([file, name, names, namesIn]) => {
    const [was, is] = [before, after].map((read) => new Set(namesIn(read(file) ?? '')));
    const gone = [...(was ?? [])].filter((one) => !is?.has(one) && !commands.has(one.split(' -')[0] ?? one));
    return gone.map((one): Change => {
      return { level: 'major', rule: `${names} removed`, where: file, detail: `${one} was removed`, packages: [name] };
    });
  });
}
