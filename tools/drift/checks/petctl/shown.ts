import type { Operation } from '@petstore/types';
import type { Argument, Flag, Located } from 'petctl/internal';
import type { Input } from './inputs.ts';
import { runPetctl } from './run.ts';

type Petctl = typeof import('petctl/internal');

/** A place where a command is described: its whole text, and what it says of each flag and argument. */
export interface Surface {
  readonly name: string;
  readonly text: string;
  readonly rows: ReadonlyMap<string, string>;
}

/** The help, the manual page and the section of the reference of a command. */
export async function surfacesOf(
  petctl: Petctl,
  { path }: Located,
  manual: string,
  reference: string,
): Promise<Surface[]> {
  const { stdout } = await runPetctl(petctl, [...path, '--help']);
  const help = Buffer.from(stdout).toString();
  const man = manual.replaceAll('\\-', '-').replaceAll('\\&', '').replaceAll('\\e', '\\');
  const [section = ''] = reference
    .split(`\n## petctl ${path.join(' ')}\n`)
    .slice(1)
    .join('')
    .split('\n## ');
  const joined = help.replaceAll(/\n {4,}/g, ' ');
  return [
    surface('the help', help, joined.matchAll(/^ {2}(?!petctl )(.*?\S)(?: {2,}|(?<=>) )(.*)$/gm)),
    surface('the manual page', man, man.matchAll(/^\.TP\n\\fB(.*)\\fR\n(.*)$/gm)),
    surface('the reference', section, section.matchAll(/^\| `(.*?)` \| (.*) \|$/gm)),
  ];
}

function surface(name: string, text: string, rows: Iterable<RegExpExecArray>): Surface {
  return {
    name,
    text: plain(text),
    rows: new Map([...rows].map(([, left = '', about = '']) => [left, plain(about.replaceAll('\\|', '|'))])),
  };
}

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** What a surface does not say of a command. */
export function unsaidOfCommand({ text }: Surface, operation: Operation, successor: Operation | undefined): string[] {
  const { description, deprecated, sunset = '', stability = '' } = operation;
  const facts = [description, stability, ...(deprecated ? ['Deprecated', sunset] : [])];
  const instead = deprecated && successor ? [`petctl ${successor.command.join(' ')}`] : [];
  return [...facts, ...instead].filter((fact) => !text.includes(plain(fact)));
}

/** The flags that petctl has beside those of inputs, and that a surface does not describe. */
export function unsaidOfOwn(surface: Surface, flags: readonly Flag[] = []): string[] {
  return flags
    .filter(({ field, property }) => field === undefined && property === undefined)
    .filter((flag) => !rowOf(surface, flag)?.[1].startsWith(plain(flag.description).replace(/\.$/, '')))
    .map(({ name }) => `--${name}`);
}

/** What a surface says of a flag or an argument. */
function rowOf({ rows }: Surface, taken: Argument | Flag): [left: string, about: string] | undefined {
  const names =
    'required' in taken && !('field' in taken) ? [`<${taken.name}>`] : [`--${taken.name}`, `--[no-]${taken.name}`];
  return [...rows].find(([left]) => left.split(/[ ,]+/).some((word) => names.includes(word)));
}

/** What a surface does not say of an input. */
export function unsaidOfInput(surface: Surface, input: Input, taken: Argument | Flag): string[] {
  const isFlag = 'field' in taken;
  const [left, about = ''] = rowOf(surface, taken) ?? [];
  if (left === undefined) return ['anything'];
  if (input.isWhole) return [];
  const { schema, required, deprecated } = input;
  const { minimum, maximum, minLength, maxLength, enum: values = [], default: usual, type } = schema;
  const kind = [type ?? []].flat().filter((one) => one !== 'null');
  const isPlain =
    kind.length === 1 &&
    /^(integer|number|string)$/.test(String(kind[0])) &&
    schema.format !== 'binary' &&
    !schema.contentMediaType;
  const words = (about.match(/[^\s,;()]+/g) ?? []).map((word) => word.replace(/\.$/, ''));
  const bounds = values.length > 0 ? values : [minimum, maximum, minLength, maxLength];
  const shown = [...bounds, usual]
    .filter((one) => one !== undefined && one !== null && typeof one !== 'object')
    .map(String);
  return [
    ...(about.startsWith(plain(input.description).replace(/\.$/, '')) ? [] : [input.description]),
    ...(isFlag && isPlain && !left.endsWith(`<${kind[0]}>`) ? [`<${kind[0]}>`] : []),
    ...shown.filter((one) => !words.includes(one)),
    ...(isFlag && required && !words.includes('required') ? ['required'] : []),
    ...(usual !== undefined && !about.includes(`default: ${usual}`) ? [`default: ${usual}`] : []),
    ...(isFlag && (deprecated || schema.deprecated) && !words.includes('deprecated') ? ['deprecated'] : []),
  ];
}

/** The examples of a command that petctl does not take. */
export async function wrongExamples(petctl: Petctl, { path }: Located): Promise<string[]> {
  const { stdout } = await runPetctl(petctl, [...path, '--help']);
  const lines = [
    ...Buffer.from(stdout)
      .toString()
      .matchAll(/^ {2}petctl (.*?) +# /gm),
  ].map(([, line = '']) => line);
  const found: string[] = [];
  for (const line of lines.filter((one) => !one.includes('@'))) {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
    const env = { XDG_CONFIG_HOME: '/nonexistent' };
    const { code, stderr } = await runPetctl(petctl, [...words, '--dry-run'], { env });
    if (code !== 0) found.push(`the example 'petctl ${line}' fails: ${stderr.trim()}`);
  }
  return found;
}
