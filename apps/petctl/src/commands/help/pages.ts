import { globalFlags, sharedFlagsOf } from '../../parse/flags.ts';
import { type CommandNode, type Located, walk } from '../../parse/node.ts';
import { aboutArgument, aboutFlag, argumentName, examplesOf, flagNames, usage } from './help.ts';
import { topics } from './topics.ts';

/** The man pages by their file names: one for petctl, one for each command and group. */
export function manPages(root: CommandNode, version: string): Map<string, string> {
  const pages = [...walk(root)].map((located) => {
    const name = ['petctl', ...located.path].join('-');
    return [`${name}.1`, page(name, located, version)] as const;
  });
  return new Map(pages);
}

function page(name: string, located: Located, version: string): string {
  const { path, node } = located;
  const takes = [
    ...(node.args ?? []).map((one) => [argumentName(one), aboutArgument(one)] as const),
    ...[...(node.flags ?? []), ...sharedFlagsOf(node)].map((one) => [flagNames(one), aboutFlag(one)] as const),
  ];
  const commands = (node.commands ?? []).filter(({ hidden }) => !hidden);
  const parts = [
    `.TH "${name.toUpperCase()}" "1" "" "petctl ${version}" "petctl"`,
    `.SH NAME\n${safe(name)} \\- ${safe(node.summary)}`,
    `.SH SYNOPSIS\n${safe(usage(located))}`,
    `.SH DESCRIPTION\n${safe(node.description ?? `${node.summary}.`)}`,
    ...(node.notice ? [`.PP\n${safe(node.notice)}`] : []),
    `.SH EXAMPLES\n${examplesOf(located)
      .map(([line, does]) => `.TP\n${safe(`${does}:`)}\n${safe(line)}`)
      .join('\n')}`,
    ...(commands.length > 0 ? [`.SH COMMANDS\n${list(commands.map((one) => [one.name, one.summary]))}`] : []),
    `.SH OPTIONS\n${list(takes)}`,
    ...(path.length > 0 ? [] : topics()).map(
      ({ title, text }) => `.SH ${title.toUpperCase()}\n.nf\n${safe(text)}\n.fi`,
    ),
  ];
  return `${parts.join('\n')}\n`;
}

function list(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, about]) => `.TP\n\\fB${safe(name)}\\fR\n${safe(about)}`).join('\n');
}

/** Text that means nothing to roff. */
function safe(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}

/** The reference of all commands as Markdown. */
export function markdown(root: CommandNode): string {
  const parts = [
    '# petctl',
    '<!-- Written by `npm run docs` in apps/petctl from the tree of commands. Do not edit. -->',
    root.description ?? root.summary,
    ...[...walk(root)].filter(({ node }) => !node.commands).flatMap(section),
    '## Flags of every command',
    rows(globalFlags.map((flag) => [flagNames(flag), aboutFlag(flag)])),
    ...topics().flatMap(({ title, text }) => [`## ${title}`, `\`\`\`text\n${text}\n\`\`\``]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(located: Located): string[] {
  const { path, node } = located;
  const examples = examplesOf(located).map(([line, does]) => `${line}  # ${does}`);
  const takes = [
    ...(node.args ?? []).map((one) => [argumentName(one), aboutArgument(one)] as const),
    ...(node.flags ?? []).map((one) => [flagNames(one), aboutFlag(one)] as const),
  ];
  return [
    `## petctl ${path.join(' ')}`,
    node.description ?? `${node.summary}.`,
    ...(node.notice ? [`**${node.notice}**`] : []),
    `\`\`\`sh\n${[...examples, '', usage(located)].join('\n')}\n\`\`\``,
    ...(takes.length > 0 ? [rows(takes)] : []),
  ];
}

function rows(pairs: readonly (readonly [string, string])[]): string {
  const lines = pairs.map(([name, about]) => `| \`${name}\` | ${about.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`);
  return ['| | |', '|---|---|', ...lines].join('\n');
}
