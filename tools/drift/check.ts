import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
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

/**
 * The findings of a check. A project that the check cannot load is a finding too, so the other checks still run, and so is an
 * error that the project's code throws where nobody can catch it: in a timer, or in a promise that nobody awaits.
 */
export async function runCheck(
  { name, run }: Check,
  project: Project,
  isEnough: IsEnough = () => false,
): Promise<Reported[]> {
  const finding = (actual: string, error: unknown, expected: string): Reported => {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    return { check: name, where: name, actual: `${actual}: ${reason}`, expected, fix: 'see npm test' };
  };
  const uncaught: unknown[] = [];
  const found = await collecting(uncaught, () => run(project, isEnough)).then(
    (findings) => findings.map((one) => ({ check: name, ...one })),
    (error: unknown) => [finding('it cannot be checked', error, 'it can be compared with the spec')],
  );
  return [
    ...found,
    ...[...new Set(uncaught.map(String))].map((error) =>
      finding('its code throws outside of any call', error, 'errors are answered'),
    ),
  ];
}

const collector = new AsyncLocalStorage<unknown[]>();
let collectors = 0;

/** Runs a task, and collects the errors that would end the process. */
async function collecting<T>(uncaught: unknown[], task: () => T | Promise<T>): Promise<T> {
  if (collectors++ === 0)
    process.setUncaughtExceptionCaptureCallback((error) => {
      const errors = collector.getStore();
      if (!errors) throw error;
      errors.push(error);
    });
  try {
    return await collector.run(uncaught, async () => task());
  } finally {
    // What was to be done at once is done.
    await setImmediate();
    if (--collectors === 0) process.setUncaughtExceptionCaptureCallback(null);
  }
}
