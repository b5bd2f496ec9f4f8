import { type Block, blocksOf as blocksIn, pagesOf } from '../../drift/checks/docs/pages.ts';
import { openProject } from '../../drift/project.ts';

const project = openProject();

export const pages = pagesOf(project);

export const blocksOf = (page: string) => blocksIn(project, page);

/** A command of a `console` block, and the output that the page shows for it. */
export interface ShownCommand {
  readonly command: string;
  readonly output: string;
}

export function shownIn({ text }: Block): ShownCommand[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part) ?? [];
      return { command, output };
    });
}

/** Matches text as a page shows it: `…` matches any text within a line, or any lines where it is a line of its own. */
export function pattern(shown: string): RegExp {
  const lines = shown.trimEnd().split('\n');
  const source = lines.map((line) =>
    line === '…' ? '[\\s\\S]*' : line.trimEnd().split('…').map(escapeRegExp).join('.*'),
  );
  return new RegExp(`^${source.join('\n')}\\n*$`);
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
