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

/** The blocks between lines of three backquotes, without the indentation of these. */
export function blocksOf(page: string): Block[] {
  const lines = textOf(page).split('\n');
  const blocks: Block[] = [];
  let textBefore = '';
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (!line.trim().startsWith(FENCE)) {
      textBefore += line.trim();
      continue;
    }
    const indentation = line.indexOf(FENCE);
    const end = lines.findIndex((each, at) => at > i && each.trim() === FENCE);
    if (end < 0) throw new Error(`${page}:${i + 1}: this block has no end`);
    const inside = lines.slice(i + 1, end).map((each) => `${each.slice(indentation)}\n`);
    blocks.push({
      page,
      line: i + 1,
      language: line.trim().slice(FENCE.length),
      text: inside.join(''),
      follows: blocks.length > 0 && textBefore === '',
    });
    textBefore = '';
    i = end;
  }
  return blocks;
}
const FENCE = '```';

/** Matches text as a page shows it: `…` matches any text within a line, or any lines where it is a line of its own. */
export function pattern(shown: string): RegExp {
  const lines = shown.trimEnd().split('\n').map(patternOfLine);
  return new RegExp(`^${lines.join('\n')}\n*$`);
}

function patternOfLine(line: string): string {
  if (line === '…') return '[\\s\\S]*';
  return line.trimEnd().split('…').map(RegExp.escape).join('.*');
}
