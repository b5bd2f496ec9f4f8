import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Every page that somebody who comes to the repository reads. */
export const pages = globSync(
  ['README.md', 'CONTRIBUTING.md', 'docs/*.md', '{apps,packages}/*/README.md', '{spec,examples}/README.md'],
  { cwd: root },
).toSorted();

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** The line of the page at which it begins. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Whether nothing stands between it and the block before. */
  readonly follows: boolean;
}

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

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

/** A command of a `console` block, and what the page says that it prints. */
export interface Shown {
  readonly command: string;
  readonly output: string;
}

export function shownIn({ text }: Block): Shown[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part) ?? [];
      return { command, output };
    });
}

/** Matches what a page shows: `…` stands for what is different each time, on a line of its own for any lines. */
export function pattern(shown: string): RegExp {
  const lines = shown.trimEnd().split('\n');
  const source = lines.map((line) =>
    line === '…' ? '[\\s\\S]*' : line.trimEnd().split('…').map(literally).join('.*'),
  );
  return new RegExp(`^${source.join('\n')}\\n*$`);
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
