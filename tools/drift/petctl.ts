// D5: the commands, flags and help of the built petctl are those of the spec.
import { execFile, execFileSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, textOf } from '../repository.ts';
import { differ, type Operation, type Report, type Schema, type Spec } from './spec.ts';

/** The help of a program's commands, by their words. */
export type Help = ReadonlyMap<string, string>;

const ownCommands = /^(?:|(?:auth|completion|help)\b.*|\S+ import)$/;
const ownFlags = 'all curl data dry-run help idempotency-key limit page-size'.split(' ').map((name) => `--${name}`);
const page = 'docs/petctl.md';

/** The help of petctl, which is built if a source file is newer than the build. Two checks read it. */
let help: Promise<Help> | undefined;
export function petctlHelp(): Promise<Help> {
  const file = join(root, 'apps/petctl/dist/petctl.js');
  const sources = globSync(['apps/petctl/{*,{src,build}/**/*}.{ts,json}', 'packages/{client,types}/src/**/*.ts'], {
    cwd: root,
  });
  const built = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (!help && sources.some((source) => statSync(join(root, source)).mtimeMs >= built))
    execFileSync(process.execPath, ['--run', 'build'], { cwd: join(root, 'apps/petctl'), stdio: 'pipe' });
  help ??= helpOf(file);
  return help;
}

/** The help of a command and of all below it. */
export async function helpOf(file: string, words = ''): Promise<Help> {
  const args = [file, ...words.split(' ').filter(Boolean), '--help'];
  const env = { ...process.env, COLUMNS: undefined, NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const [, commands = ''] = /^Commands:?\n((?: {2}.*\n?)*)/m.exec(stdout) ?? [];
  const names = [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].filter(([, name]) => name !== 'help');
  const below = await Promise.all(names.map(([, name]) => helpOf(file, `${words} ${name}`.trim())));
  return new Map([[words, stdout], ...below.flatMap((each) => [...each])]);
}

/** What the help says about each flag, argument and command. */
export function rowsOf(text: string): Map<string, string> {
  const rows = text.matchAll(/^ {2}(?:-\w, )?([\w<-]\S*).*?(?: {2,}(.*(?:\n {6,}.*)*)|$)/gm);
  return new Map(
    [...rows].map(([, name = '', said = '']) => [name.replace('[no-]', ''), said.replaceAll(/\s+/g, ' ')]),
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
  const reference = textOf(page);
  if (!reference.includes('<!-- reference -->')) return;
  for (const [command, text] of all)
    if (!reference.includes(text.trimEnd())) report(`${page} lacks the help of petctl ${command}`, 'run npm run docs');
}

function checkHelp(spec: Spec, operation: Operation, all: Help, report: Report): void {
  const { fields, pagination, summary, deprecated, sunset, successor } = operation;
  const command = operation.command.join(' ');
  const text = all.get(command) ?? '';
  const rows = rowsOf(text);
  const known = [...rowsOf(all.get('') ?? '').keys(), ...ownFlags];
  for (const [name, { in: place, required, ...field }] of Object.entries(fields)) {
    const { type, enum: values = [], minimum, maximum } = spec.follow(field.schema as Schema);
    // Only JSON has them.
    if (place === 'body' && /object|array|undefined/.test(String(type))) continue;
    const flag = place === 'path' ? `<${kebab(name)}>` : `--${kebab(name)}`;
    known.push(flag);
    // The limit of a page is here that of the results, over pages.
    if (name === pagination?.limit) continue;
    const row = rows.get(flag) ?? rows.get(kebab(name));
    if (row === undefined) report(`the help of petctl ${command} lacks ${flag}`);
    if (row === undefined) continue;
    if (place !== 'path') differ(report, `petctl ${command} ${flag}: required`, /\brequired\b/i.test(row), required);
    for (const value of [...values, minimum, maximum].filter((each) => each !== undefined))
      if (!new RegExp(`(?<![\\w.-])${RegExp.escape(String(value))}(?![\\w.]*\\d)`).test(row))
        report(`the help of petctl ${command} ${flag} does not say ${value}`);
    const [, choices = ''] = /(?:one of|choices:?) ([^;)]*)/.exec(row) ?? [];
    for (const shown of choices.match(/[\w-]+/g) ?? [])
      if (!values.includes(shown)) report(`the help of petctl ${command} ${flag} says ${shown}`);
  }
  for (const flag of rows.keys())
    if (flag.startsWith('--') && !known.includes(flag)) report(`petctl ${command} ${flag}: the spec has no such input`);
  const told = `${text} ${all.get(operation.command[0] ?? '')}`.replaceAll(/\s+/g, ' ');
  const target = spec.operations.find(({ id }) => id === successor)?.command.join(' ');
  for (const notice of [summary, ...(deprecated ? ['eprecated', sunset, target] : [])])
    if (notice && !told.includes(notice)) report(`the help of petctl ${command} does not say '${notice}'`);
  if (!deprecated && /deprecated/i.test(text)) report(`the help of petctl ${command} says that it is deprecated`);
}

const kebab = (name: string) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+/g, '-').toLowerCase();
