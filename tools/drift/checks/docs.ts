import type { Check } from '../check.ts';
import { typeErrors } from './docs/code.ts';
import { commandErrors, unknownNames } from './docs/names.ts';
import { numberErrors } from './docs/numbers.ts';
import { blocksOf, pagesOf } from './docs/pages.ts';

export const docs: Check = {
  name: 'docs',
  guarantee:
    'The links, tests, variables, metrics, codes, flags, paths, operations and commands on the pages exist. Their TypeScript compiles. The tables of settings and bounds are complete. Their values, and the numbers in sentences, are those of the code.',
  async *run(project) {
    const pages = pagesOf(project).filter((page) => page !== generatedPage);
    const blocks = pages.flatMap((page) => blocksOf(project, page));
    yield* await unknownNames(project, pages);
    yield* await numberErrors(project, pages);
    yield* commandErrors(project, blocks);
    yield* typeErrors(project, blocks);
  },
};

/** A generated page, which the petctl check compares with petctl. */
const generatedPage = 'docs/petctl.md';
