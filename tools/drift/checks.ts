import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Check, Reported } from './check.ts';
import { client } from './checks/client.ts';
import { conformance } from './checks/conformance.ts';
import { generated } from './checks/generated.ts';
import { spec } from './checks/spec.ts';
import type { Project } from './project.ts';

/** Every check, in the order of the report. */
export const checks: readonly Check[] = [spec, generated, conformance, client];

/**
 * The findings of a check. An error is a finding too, so the other checks still run: an error of the check itself, and an error
 * that the project's code throws in a timer, or in a promise that nobody awaits. The check stops when there are enough findings.
 */
export async function runCheck(
  { name, run }: Check,
  project: Project,
  isEnough = (_: readonly Reported[]) => false,
): Promise<Reported[]> {
  const findings: Reported[] = [];
  const reportError = (error: unknown, problem: string, expected: string) => {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    findings.push({
      check: name,
      where: name,
      actual: `${problem}: ${reason}`,
      expected,
      fix: 'run npm test, and fix what fails',
    });
  };
  const uncaught = await uncaughtIn(async () => {
    try {
      for await (const finding of await run(project)) {
        findings.push({ check: name, ...finding });
        if (isEnough(findings)) break;
      }
    } catch (error) {
      reportError(error, 'it cannot be checked', 'it can be compared with the spec');
    }
  });
  for (const error of new Set(uncaught.map(String)))
    reportError(error, 'its code throws outside of any call', 'all errors are caught');
  return findings;
}

const collector = new AsyncLocalStorage<unknown[]>();
let runningTasks = 0;

/** Runs a task, and returns the errors that would end the process. */
async function uncaughtIn(task: () => Promise<void>): Promise<unknown[]> {
  const uncaught: unknown[] = [];
  if (runningTasks++ === 0)
    process.setUncaughtExceptionCaptureCallback((error) => {
      const errors = collector.getStore();
      if (!errors) throw error;
      errors.push(error);
    });
  await collector.run(uncaught, task);
  // Callbacks that are already queued run first, so their errors are collected.
  await setImmediate();
  if (--runningTasks === 0) process.setUncaughtExceptionCaptureCallback(null);
  return uncaught;
}
