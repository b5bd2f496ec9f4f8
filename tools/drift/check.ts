import { NoExampleError } from '../openapi/examples.ts';
import { specFile } from './openapi.ts';
import type { Project } from './project.ts';

/** A disagreement with the spec. */
export interface Finding {
  where: string;
  /** What is there. */
  actual: string;
  /** What the spec says. */
  expected: string;
  /** The command, or the step, that fixes it. */
  fix: string;
}

/** A finding, and the name of the check that made it. */
export type Reported = { check: string } & Finding;

/** A pure function of a project: it reads files, the base and modules only through the project, and changes nothing there. */
export interface Check {
  name: string;
  /** What holds when there is no finding, in one sentence. */
  guarantee: string;
  run(project: Project, isEnough?: IsEnough): Finding[] | Promise<Finding[]>;
}

/** Whether a check may stop, because nobody wants more findings. */
export type IsEnough = (found: readonly Finding[]) => boolean;

/** The finding where an operation cannot be called, because no valid input is known. */
export function withoutExample(where: string): (error: unknown) => Finding[] {
  return (error) => {
    if (!(error instanceof NoExampleError)) throw error;
    const expected = 'a valid input can be generated from the schema';
    return [{ where, actual: error.message, expected, fix: `give an example in ${specFile}` }];
  };
}

/** The texts of a finding by whether something is missing, or is there too much. */
type ByKind = readonly [missing: string, extra: string];

/** The findings where a list lacks something that is expected, or has something else. */
export function listFindings(
  expected: readonly string[],
  actual: readonly string[],
  texts: { actual: ByKind; expected: ByKind; fix: string },
): Finding[] {
  const without = (some: readonly string[], others: readonly string[]) => some.filter((one) => !others.includes(one));
  return [without(expected, actual), without(actual, expected)].flatMap((all, kind) =>
    all.map((where) => ({
      where,
      actual: texts.actual[kind] ?? '',
      expected: texts.expected[kind] ?? '',
      fix: texts.fix,
    })),
  );
}
