import { NoExampleError } from '../openapi/examples.ts';
import { specFile } from './openapi.ts';
import type { Project } from './project.ts';

/** A difference between the repository and the spec. */
export interface Finding {
  where: string;
  /** The fact found in the repository. */
  actual: string;
  /** The fact that should be there, by the spec, or by other code, the packages or the base commit. */
  expected: string;
  /** The command or the change that fixes it. */
  fix: string;
}

/** A finding, and the name of the check that made it. */
export type Reported = { check: string } & Finding;

/** A check. It reads files, the base commit and modules only through the project, and does not change the project. */
export interface Check {
  name: string;
  /** What holds when there is no finding, in one sentence. */
  guarantee: string;
  /** Returns or generates the findings. */
  run(project: Project): Iterable<Finding> | Promise<Iterable<Finding>> | AsyncIterable<Finding>;
}

/** A finding that an edit of a file fixes. `where` is the file, or a position in it: `file:line`. */
export function editFinding(where: string, actual: string, expected: string): Finding {
  return { where, actual, expected, fix: `edit ${where.split(':')[0]}` };
}

/** The findings of an operation. If no valid input can be generated for the operation, the last finding says so. */
export async function* requiringExamples(where: string, findings: AsyncIterable<Finding>): AsyncGenerator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    if (!(error instanceof NoExampleError)) throw error;
    const expected = 'a valid input can be generated from the schema';
    yield { where, actual: error.message, expected, fix: `give an example in ${specFile}` };
  }
}

/** Findings for expected names that are missing, and for other names. `kind` and `list` are words: `an operation`, `the handlers`. */
export function listFindings(
  kind: string,
  expectedNames: Iterable<string>,
  list: string,
  names: Iterable<string>,
  fix: string,
): Finding[] {
  const [expected, actual] = [new Set(expectedNames), new Set(names)];
  const missing = { actual: `it is not among ${list}`, expected: `it is, because it is ${kind}`, fix };
  const extra = { actual: `it is among ${list}`, expected: `it is not, because it is not ${kind}`, fix };
  return [
    ...[...expected.difference(actual)].map((where) => ({ where, ...missing })),
    ...[...actual.difference(expected)].map((where) => ({ where, ...extra })),
  ];
}
