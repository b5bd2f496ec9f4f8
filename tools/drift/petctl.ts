// D5: the commands, flags and help of the built petctl are those of the spec.
import { helpOf, page, petctlFile, referenceOf } from '../reference.ts';
import { textOf } from '../repository.ts';
import { differ, type Operation, type Report, type Spec } from './spec.ts';

/** The help of a program's commands, by their words. */
export type Help = ReadonlyMap<string, string>;

const ownCommands = /^(?:|(?:auth|completion|help)\b.*|\S+ import)$/;
const ownFlags = 'all curl data dry-run help idempotency-key limit'
  .split(' ')
  .map((name) => `--${name}`);

/** The help of petctl's commands, which two checks read. */
let help: Promise<Map<string, string>> | undefined;
export function petctlHelp(): Promise<Map<string, string>> {
  help ??= helpOf(petctlFile);
  return help;
}

/** What the help says about each flag, argument and command. */
export function rowsOf(text: string): Map<string, string> {
  const rows = text.matchAll(/^ {2}(?:-\w, )?([\w<-]\S*).*?(?: {2,}(.*(?:\n {6,}.*)*)|$)/gm);
  return new Map(
    [...rows].map(([, name = '', said = '']) => [
      name.replace('[no-]', ''),
      said.replaceAll(/\s+/g, ' '),
    ]),
  );
}

export async function check(spec: Spec, report: Report): Promise<void> {
  const all = await petctlHelp();
  const words = spec.operations.map(({ command }) => command.join(' '));
  const groups = spec.operations.map(({ command }) => command[0] ?? '');
  const found = [...all.keys()].filter((each) => !ownCommands.test(each) && !groups.includes(each));
  differ(report, 'the set of commands', found.sort(), [...words].sort());
  for (const operation of spec.operations)
    if (all.has(operation.command.join(' '))) checkHelp(spec, operation, all, report);
  const [, reference] =
    /<!-- reference -->\n([\s\S]*)<!-- \/reference -->/.exec(textOf(page)) ?? [];
  if (reference !== referenceOf(all)) report(`the reference in ${page} is not what petctl prints`);
}

function checkHelp(spec: Spec, operation: Operation, all: Help, report: Report): void {
  const { fields, pagination, summary, deprecated, sunset, successor } = operation;
  const command = operation.command.join(' ');
  const text = all.get(command) ?? '';
  const rows = rowsOf(text);
  const known = [...rowsOf(all.get('') ?? '').keys(), ...ownFlags];
  for (const [name, { in: place, required, ...field }] of Object.entries(fields)) {
    const { type, enum: values = [], minimum, maximum } = spec.follow(field.schema);
    // Only JSON has them.
    if (place === 'body' && /object|array|undefined/.test(String(type))) continue;
    // The prefix where a flag of petctl itself has the name.
    const [usual, prefixed] = [`--${kebab(name)}`, `--${place}-${kebab(name)}`];
    const flag = place === 'path' ? `<${kebab(name)}>` : rows.has(prefixed) ? prefixed : usual;
    known.push(flag);
    // The limit of a page is here that of the results, over pages.
    if (name === pagination?.limit) continue;
    const row = rows.get(flag) ?? rows.get(kebab(name));
    if (row === undefined) report(`the help of petctl ${command} lacks ${flag}`);
    if (row === undefined) continue;
    if (place !== 'path')
      differ(report, `petctl ${command} ${flag}: required`, /\brequired\b/i.test(row), required);
    for (const value of [...values, minimum, maximum].filter((each) => each !== undefined))
      if (!new RegExp(`(?<![\\w.-])${RegExp.escape(String(value))}(?![\\w.]*\\d)`).test(row))
        report(`the help of petctl ${command} ${flag} does not say ${value}`);
    const [, choices = ''] = /(?:one of|choices:?) ([^;)]*)/.exec(row) ?? [];
    for (const shown of choices.match(/[\w-]+/g) ?? [])
      if (!values.includes(shown)) report(`the help of petctl ${command} ${flag} says ${shown}`);
  }
  for (const flag of rows.keys())
    if (flag.startsWith('--') && !known.includes(flag))
      report(`petctl ${command} ${flag}: the spec has no such input`);
  const told = `${text} ${all.get(operation.command[0] ?? '')}`.replaceAll(/\s+/g, ' ');
  const target = spec.operations.find(({ id }) => id === successor)?.command.join(' ');
  for (const notice of [summary, ...(deprecated ? ['eprecated', sunset, target] : [])])
    if (notice && !told.includes(notice))
      report(`the help of petctl ${command} does not say '${notice}'`);
  if (!deprecated && /deprecated/i.test(text))
    report(`the help of petctl ${command} says that it is deprecated`);
}

const kebab = (name: string) =>
  name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/g, '-').toLowerCase();
