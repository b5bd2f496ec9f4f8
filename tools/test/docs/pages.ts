import { readdirSync } from 'node:fs';
import { released, root, textOf } from '../../repository.ts';

/** The pages for users and contributors. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...[...released, 'examples'].map((folder) => `${folder}/README.md`),
  ...readdirSync(`${root}/docs`).map((file) => `docs/${file}`),
];

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** The line of the page at which it begins. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Whether it directly follows the block before. */
  readonly follows: boolean;
}

/** The fenced blocks of a page. */
export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  let end = 0;
  return [...text.matchAll(/^( *)```(\S*).*\n([\s\S]*?)^ *```$/gm)].map((found) => {
    const [, indent = '', language = '', inside = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    const follows = end > 0 && text.slice(end, found.index).trim() === '';
    end = found.index + found[0].length;
    return { page, line, language, text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), follows };
  });
}

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
