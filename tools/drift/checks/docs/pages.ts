import type { Finding } from '../../check.ts';
import type { Project } from '../../project.ts';

/** A fenced block of code. */
export interface Block {
  page: string;
  language: string;
  text: string;
}

/** The petctl check compares it with the commands that it is generated from. */
const generatedPage = 'docs/petctl.md';

/** The hand-written pages. */
export function pagesOf(project: Project): string[] {
  const folders = ['packages/types', 'packages/client', 'apps/petctl', 'spec', 'examples'];
  const named = ['README.md', 'CONTRIBUTING.md', ...folders.map((folder) => `${folder}/README.md`)];
  const listed = project.list('docs').filter((file) => file.endsWith('.md') && file !== generatedPage);
  return [...named.filter(project.exists), ...listed];
}

export function blocksOf(project: Project, page: string): Block[] {
  const fenced = project.read(page).matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```/gm);
  return [...fenced].map(([, language = '', text = '']) => ({ page, language, text }));
}

/** A finding in a page; `where` may name a line behind a colon. */
export function finding(where: string, actual: string, expected: string): Finding {
  return { where, actual, expected, fix: `edit ${where.split(':')[0]}` };
}
