import type { Operation } from '@petstore/types';
import type { Argument, CommandAtPath, CommandNode, Flag } from 'petctl/internal';
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

/** The help, the manual page and the section of the reference of a command. */
export async function textsOf(
  petctl: Petctl,
  { path }: CommandAtPath,
  manual: string,
  reference: string,
): Promise<Text[]> {
  const help = await outputOf(petctl, ...path, '--help');
  const man = manual.replaceAll('\\-', '-').replaceAll('\\&', '').replaceAll('\\e', '\\');
  const [, ...behind] = reference.split(`\n## petctl ${path.join(' ')}\n`);
  const [section = ''] = behind.join('').split('\n## ');
  const joined = help.replaceAll(/\n {4,}/g, ' ');
  return [
    text('the help', help, joined.matchAll(/^ {2}(?!petctl )(.*?\S)(?: {2,}|(?<=>) )(.*)$/gm)),
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
    missingFrom(text).map((fact) => finding(where, `${text.name} does not state a fact of the spec`, fact)),
  );
}

/** The facts of a command that a text does not state. */
export function missingCommandFacts({ text }: Text, operation: Operation, successor: Operation | undefined): string[] {
  const { description, deprecated, sunset = '', stability = '' } = operation;
  const facts = [description, stability, ...(deprecated ? ['Deprecated', sunset] : [])];
  if (deprecated && successor) facts.push(`petctl ${successor.command.join(' ')}`);
  return facts.filter((fact) => !text.includes(plain(fact)));
}

/** The flags that are not an input and that a text does not describe. */
export function missingOwnFlags(text: Text, flags: readonly Flag[] = []): string[] {
  return flags
    .filter(({ field, property }) => field === undefined && property === undefined)
    .filter(({ name, description }) => !rowOf(text, flagWords(name))?.[1].startsWith(withoutPeriod(description)))
    .map(({ name }) => `--${name}`);
}

/** The row of a flag or an argument, by the spellings of its name: its left column, and its description. */
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
  const types = [schema.type ?? []].flat().filter((one) => one !== 'null');
  const isPlain = /^(integer|number|string)$/.test(types.join()) && format !== 'binary' && !schema.contentMediaType;
  const words = (description.match(/[^\s,;()]+/g) ?? []).map((word) => word.replace(/\.$/, ''));
  const bounds = values.length > 0 ? values : [minimum, maximum, minLength, maxLength];
  const isValue = (one: unknown) => one !== undefined && one !== null && typeof one !== 'object';
  const facts: [fact: string, isStated: boolean][] = [
    [input.description, description.startsWith(withoutPeriod(input.description))],
    ...[...bounds, standard].filter(isValue).map((one): [string, boolean] => [`${one}`, words.includes(`${one}`)]),
    [`default: ${standard}`, standard === undefined || description.includes(`default: ${standard}`)],
  ];
  if (!isInPath)
    facts.push(
      [`<${types[0]}>`, !isPlain || left.endsWith(`<${types[0]}>`)],
      ['required', !required || words.includes('required')],
      ['deprecated', !(deprecated || schema.deprecated) || words.includes('deprecated')],
    );
  return facts.filter(([, isStated]) => !isStated).map(([fact]) => fact);
}

/** Errors in the examples of a command: petctl has to accept each example. */
export async function* exampleErrors(petctl: Petctl, { path }: CommandAtPath): AsyncGenerator<string> {
  const help = await outputOf(petctl, ...path, '--help');
  const lines = [...help.matchAll(/^ {2}petctl (.*?) +# /gm)].map(([, line = '']) => line);
  for (const line of lines.filter((one) => !one.includes('@'))) {
    const error = await rejectionOf(petctl, wordsOf(line));
    if (error !== undefined) yield `the example 'petctl ${line}' fails: ${error}`;
  }
}

/** Errors in the help of the shared flags, and in the completion of commands. */
export async function* sharedErrors(
  petctl: Petctl,
  tree: CommandNode,
  spec: Spec,
  { connect }: typeof import('@petstore/client'),
): AsyncGenerator<Finding> {
  const { timeout, limit } = connect({ apiKey: '-', baseUrl: 'http://localhost' });
  const facts: [flag: string, facts: string[]][] = [
    ['timeout', [`default: ${timeout / 1000}s`]],
    ['retries', [`default: ${limit}`]],
    ['deployment', Object.keys(spec.model.service.deployments)],
  ];
  const [help] = await textsOf(petctl, { path: [], node: tree }, '', '');
  for (const [flag, factsOfFlag] of facts) {
    const [, description = ''] = [...(help?.rows ?? [])].find(([left]) => left.startsWith(`--${flag} `)) ?? [];
    for (const fact of factsOfFlag.filter((one) => !description.includes(one)))
      yield finding([`--${flag}`], `its help is '${description}'`, fact);
  }
  for (const { path, node } of petctl.walk(tree)) {
    const offered = new Map(petctl.candidates(tree, [...path, '']).words);
    for (const { name, summary } of node.commands ?? [])
      yield* unlessEqual([...path, name], 'the completion', offered.get(name), summary);
  }
}
