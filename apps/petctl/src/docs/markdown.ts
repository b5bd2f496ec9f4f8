import { type CommandNode, type Located, walk } from '../tree/node.ts';
import { globalFlags } from '../tree/shared-flags.ts';
import { aboutArgument, aboutFlag, argumentName, flagNames } from './flag-text.ts';
import { examplesOf, usage } from './help.ts';
import { topics } from './topics.ts';

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
