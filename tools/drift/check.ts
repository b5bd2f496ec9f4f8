import { NoExampleError } from '../openapi/examples.ts';
import { specFile } from './openapi.ts';
import type { Project } from './project.ts';

/** A difference between the repository and the spec. */
export interface Finding {
  where: string;
  /** The fact found in the repository. */
  actual: string;
  /** The fact that follows from the spec. */
  expected: string;
  /** The command or the change that fixes it. */
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

/** Whether a check may stop, because the caller needs no more findings. */
export type IsEnough = (found: readonly Finding[]) => boolean;

/** The finding where an operation cannot be called, because no valid input is known. */
export function withoutExample(where: string): (error: unknown) => Finding[] {
  return (error) => {
    if (!(error instanceof NoExampleError)) throw error;
    const expected = 'a valid input can be generated from the schema';
    return [{ where, actual: error.message, expected, fix: `give an example in ${specFile}` }];
  };
}

/** The texts of a finding for an element that is missing, and for one that should not exist. */
type ByKind = readonly [missing: string, extra: string];

/** Findings for the elements of a list that are missing, and for those that should not exist. */
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
