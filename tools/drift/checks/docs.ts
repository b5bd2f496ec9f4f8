import type { Check } from '../check.ts';
import type { Project } from '../project.ts';
import { type Block, typeErrors } from './docs/code.ts';
import { commandErrors, unknownNames } from './docs/names.ts';
import { numberErrors } from './docs/numbers.ts';

export const docs: Check = {
  name: 'docs',
  guarantee:
    'The links, tests, variables, metrics, codes, flags, paths, operations and commands on the pages exist. Their TypeScript compiles. The tables of settings and bounds are complete. Their values, and the numbers in sentences, are those of the code.',
  async *run(project) {
    const pages = pagesOf(project);
    const blocks = pages.flatMap((page) => blocksOf(project, page));
    yield* await unknownNames(project, pages);
    yield* await numberErrors(project, pages);
    yield* commandErrors(project, blocks);
    yield* typeErrors(project, blocks);
  },
};

/** A generated page, which the petctl check compares with petctl. */
const generatedPage = 'docs/petctl.md';

/** The hand-written pages. */
function pagesOf(project: Project): string[] {
  const folders = ['packages/types', 'packages/client', 'apps/petctl', 'spec', 'examples'];
  const named = ['README.md', 'CONTRIBUTING.md', ...folders.map((folder) => `${folder}/README.md`)];
  const listed = project.list('docs').filter((file) => file.endsWith('.md') && file !== generatedPage);
  return [...named.filter(project.exists), ...listed];
}

/** The fenced blocks of code on a page. */
function blocksOf(project: Project, page: string): Block[] {
  const all = project.read(page);
  return [...all.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```/gm)].map(({ index, 1: language = '', 2: text = '' }) => {
    return { page, line: all.slice(0, index).split('\n').length, language, text };
  });
}
