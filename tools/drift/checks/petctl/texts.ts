import type { Operation } from '@petstore/types';
import type { Argument, CommandNode, Flag } from 'petctl/internal';
import type { Finding } from '../../check.ts';
import type { Spec } from '../../openapi.ts';
import { finding, type Input, unlessEqual } from './inputs.ts';
import { outputOf, type Petctl, rejectionOf, wordsOf } from './run.ts';

/** A text that describes a command: the whole text, and the description of each flag and argument. */
export interface Text {
  readonly name: string;
  readonly text: string;
  /** The descriptions by the left column of the table of flags or arguments. */
  readonly rows: ReadonlyMap<string, string>;
}

/** What the escapes of a manual page stand for, except for \&, which is empty. */
const roffCharacters: Readonly<Record<string, string>> = {
  '-': '-',
  e: '\\',
  '(aq': "'",
  '(ga': '`',
  '(ha': '^',
  '(ti': '~',
};

/** The help, the manual page and the section of the reference of a command. */
export function textsOf(path: readonly string[], help: string, manual: string, reference: string): Text[] {
  const man = manual.replaceAll(/\\(-|&|e|\(..)/g, (_, name) => roffCharacters[name] ?? '');
  const [, sections = ''] = reference.split(`\n## petctl ${path.join(' ')}\n`);
  const [section = ''] = sections.split('\n## ');
  const unwrapped = help.replaceAll(/\n {4,}/g, ' ');
  return [
    text('the help', help, unwrapped.matchAll(/^ {2}(?!petctl )(.*?\S)(?: {2,}|(?<=>) )(.*)$/gm)),
    text('the manual page', man, man.matchAll(/^\.TP\n\\fB(.*)\\fR\n(.*)$/gm)),
    text('the reference', section, section.matchAll(/^- `(.*?)`: (.*)$/gm)),
  ];
}

function text(name: string, text: string, rows: Iterable<RegExpExecArray>): Text {
  return {
    name,
    text: plain(text),
    rows: new Map([...rows].map(([, left = '', right = '']) => [left, plain(right)])),
  };
}

/** The text on one line. */
const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** A finding for each fact that a text does not state. */
export function factErrors(
  texts: readonly Text[],
  where: readonly string[],
  missingFrom: (text: Text) => readonly string[],
): Finding[] {
  return texts.flatMap((text) =>
    missingFrom(text).map((fact) => finding(where, `${text.name} does not state a fact`, fact)),
  );
}

/** The facts of a command that a text does not state. A deprecated command names its successor. */
export function missingCommandFacts({ text }: Text, operation: Operation, successor: Operation | undefined): string[] {
  const { description, deprecated, sunset = '', stability = '' } = operation;
  const successorCommand = successor ? `petctl ${successor.command.join(' ')}` : '';
  const facts = [description, stability, ...(deprecated ? ['Deprecated', sunset, successorCommand] : [])];
  return facts.filter((fact) => !text.includes(plain(fact)));
}

/** The flags that set no input, and that a text does not describe. */
export function missingOwnFlags(text: Text, flags: readonly Flag[] = []): string[] {
  const own = flags.filter(({ field, property }) => field === undefined && property === undefined);
  const isDescribed = ({ name, description }: Flag) =>
    rowOf(text, flagWords(name))?.[1].startsWith(withoutPeriod(description));
  return own.filter((flag) => !isDescribed(flag)).map(({ name }) => `--${name}`);
}

/** The left column and the description in the row of a flag or argument with one of these spellings. */
function rowOf({ rows }: Text, spellings: readonly string[]): [left: string, description: string] | undefined {
  return [...rows].find(([left]) => left.split(/[ ,]+/).some((word) => spellings.includes(word)));
}

const flagWords = (name: string) => [`--${name}`, `--[no-]${name}`];

const withoutPeriod = (description: string) => plain(description).replace(/\.$/, '');

/** The facts of an input that a text does not state. */
export function missingInputFacts(text: Text, input: Input, { name }: Argument | Flag): string[] {
  const isInPath = input.in === 'path';
  const [left, description = ''] = rowOf(text, isInPath ? [`<${name}>`] : flagWords(name)) ?? [];
  if (left === undefined) return ['a description'];
  if (input.isWhole) return [];
  const { schema, required, deprecated } = input;
  const { minimum, maximum, minLength, maxLength, enum: values = [], default: standard, format } = schema;
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const isPlain = /^(integer|number|string)$/.test(types.join()) && format !== 'binary' && !schema.contentMediaType;
  const words = (description.match(/[^\s,;()]+/g) ?? []).map((word) => word.replace(/\.$/, ''));
  const bounds = values.length > 0 ? values : [minimum, maximum, minLength, maxLength];
  const isScalar = (value: unknown) => value !== undefined && value !== null && typeof value !== 'object';
  const ofFlag = [...(required ? ['required'] : []), ...(deprecated || schema.deprecated ? ['deprecated'] : [])];
  const expectedWords = [...[...bounds, standard].filter(isScalar).map(String), ...(isInPath ? [] : ofFlag)];
  const facts: [fact: string, isStated: boolean][] = [
    [input.description, description.startsWith(withoutPeriod(input.description))],
    ...expectedWords.map((word): [string, boolean] => [word, words.includes(word)]),
    [`default: ${standard}`, standard === undefined || description.includes(`default: ${standard}`)],
    [`<${types[0]}>`, isInPath || !isPlain || left.endsWith(`<${types[0]}>`)],
  ];
  return facts.filter(([, isStated]) => !isStated).map(([fact]) => fact);
}

/** Errors in the examples in the help of a command: petctl has to accept each example. */
export async function* exampleErrors(petctl: Petctl, help: string): AsyncGenerator<string> {
  const lines = [...help.matchAll(/^ {2}petctl (.*?) +# /gm)].map(([, line = '']) => line);
  // An example with a file would read the file.
  for (const line of lines.filter((text) => !text.includes('@'))) {
    const error = await rejectionOf(petctl, wordsOf(line));
    if (error !== undefined) yield `the example 'petctl ${line}' fails: ${error}`;
  }
}

/** Errors in the help of the global flags, and in the completion of commands. */
export async function* globalErrors(
  petctl: Petctl,
  tree: CommandNode,
  spec: Spec,
  { connect }: typeof import('@petstore/client'),
): AsyncGenerator<Finding> {
  const { timeout, limit: retries } = connect({ apiKey: '-', baseUrl: 'http://localhost' });
  const facts: [flag: string, facts: string[]][] = [
    ['timeout', [`default: ${timeout / 1000}s`]],
    ['retries', [`default: ${retries}`]],
    ['deployment', Object.keys(spec.model.service.deployments)],
  ];
  const [help] = textsOf([], await outputOf(petctl, '--help'), '', '');
  for (const [flag, factsOfFlag] of facts) {
    const [, description = ''] = [...(help?.rows ?? [])].find(([left]) => left.startsWith(`--${flag} `)) ?? [];
    for (const fact of factsOfFlag.filter((text) => !description.includes(text)))
      yield finding([`--${flag}`], `its help is '${description}'`, fact);
  }
  for (const { path, node } of petctl.walk(tree)) {
    const offered = new Map(petctl.candidates(tree, [...path, '']).words);
    for (const { name, summary } of node.commands ?? [])
      yield* unlessEqual([...path, name], 'the completion', offered.get(name), summary);
  }
}
