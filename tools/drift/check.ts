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
  /** Returns or generates the findings. */
  run(project: Project): Iterable<Finding> | Promise<Iterable<Finding>> | AsyncIterable<Finding>;
}

/** A finding that an edit of a file fixes; `where` may name a place in the file behind a colon. */
export function editFinding(where: string, actual: string, expected: string): Finding {
  return { where, actual, expected, fix: `edit ${where.split(':')[0]}` };
}

/** The findings of an operation, and one where it cannot be called, because no valid input is known. */
export async function* requiringExamples(where: string, findings: AsyncIterable<Finding>): AsyncGenerator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    if (!(error instanceof NoExampleError)) throw error;
    const expected = 'a valid input can be generated from the schema';
    yield { where, actual: error.message, expected, fix: `give an example in ${specFile}` };
  }
}

/** Findings for the elements of a list that are missing, and for those that should not exist. */
export function listFindings(
  expected: Iterable<string>,
  actual: Iterable<string>,
  missing: Omit<Finding, 'where'>,
  extra: Omit<Finding, 'where'>,
): Finding[] {
  const [wanted, found] = [new Set(expected), new Set(actual)];
  return [
    ...[...wanted.difference(found)].map((where) => ({ where, ...missing })),
    ...[...found.difference(wanted)].map((where) => ({ where, ...extra })),
  ];
}
