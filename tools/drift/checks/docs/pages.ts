import { released } from '../../../repository.ts';
import type { Project } from '../../project.ts';

/** The pages for users and contributors. */
export function pagesOf(project: Project): string[] {
  const readmes = [...released, 'examples'].map((folder) => `${folder}/README.md`);
  const listed = project.list('docs').filter((file) => file.endsWith('.md'));
  return [...['README.md', 'CONTRIBUTING.md', ...readmes].filter(project.exists), ...listed];
}

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
export function blocksOf(project: Project, page: string): Block[] {
  const text = project.read(page);
  let end = 0;
  return [...text.matchAll(/^( *)```(\S*).*\n([\s\S]*?)^ *```$/gm)].map((found) => {
    const [, indent = '', language = '', inside = ''] = found;
    const line = text.slice(0, found.index).split('\n').length;
    const follows = end > 0 && text.slice(end, found.index).trim() === '';
    end = found.index + found[0].length;
    return { page, line, language, text: inside.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), follows };
  });
}
