// The pages, and the fenced blocks on them.
import { globSync } from 'node:fs';
import { released, root, textOf } from '../../repository.ts';

/** The pages for users and contributors. */
export const pages = globSync(
  ['*.md', 'docs/*.md', ...[...released, 'examples'].map((folder) => `${folder}/*.md`)],
  {
    cwd: root,
  },
);

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

export function blocksOf(page: string): Block[] {
  const text = textOf(page);
  let end = 0;
  return [...text.matchAll(/^( *)```(\S*).*\n([\s\S]*?)^ *```$/gm)].map((found) => {
    const [, indent = '', language = '', inside = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    const follows = end > 0 && text.slice(end, found.index).trim() === '';
    end = found.index + found[0].length;
    return {
      page,
      line,
      language,
      text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      follows,
    };
  });
}

/** Matches text as a page shows it: `…` matches any text within a line, or any lines where it is a line of its own. */
export function pattern(shown: string): RegExp {
  const lines = shown.trimEnd().split('\n');
  const source = lines.map((line) =>
    line === '…' ? '[\\s\\S]*' : line.trimEnd().split('…').map(RegExp.escape).join('.*'),
  );
  return new RegExp(`^${source.join('\n')}\\n*$`);
}
