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
  run(project: Project): Finding[] | Promise<Finding[]>;
}

/** The findings of a check. A project that the check cannot load is a finding too, so the other checks still run. */
export async function runCheck({ name, run }: Check, project: Project): Promise<Reported[]> {
  try {
    return (await run(project)).map((finding) => ({ check: name, ...finding }));
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    const actual = `it cannot be checked: ${reason}`;
    return [{ check: name, where: name, actual, expected: 'it can be compared with the spec', fix: 'see npm test' }];
  }
}
