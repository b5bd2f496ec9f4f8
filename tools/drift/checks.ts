import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Check, Reported } from './check.ts';
import { breakingChanges } from './checks/breaking-changes.ts';
import { client } from './checks/client.ts';
import { conformance } from './checks/conformance.ts';
import { docs } from './checks/docs.ts';
import { generated } from './checks/generated.ts';
import { petctl } from './checks/petctl.ts';
import { routes } from './checks/routes.ts';
import { spec } from './checks/spec.ts';
import { versions } from './checks/versions.ts';
import type { Project } from './project.ts';

/** Every check, in the order of the report. */
export const checks: readonly Check[] = [
  spec,
  generated,
  routes,
  conformance,
  client,
  petctl,
  docs,
  versions,
  breakingChanges,
];

/**
 * The findings of a check. A project that the check cannot load is a finding too, so the other checks still run, and so is an
 * error that the project's code throws where nobody can catch it: in a timer, or in a promise that nobody awaits. The check
 * stops when there are enough findings.
 */
export async function runCheck(
  { name, run }: Check,
  project: Project,
  isEnough = (_: readonly Reported[]) => false,
): Promise<Reported[]> {
  const finding = (actual: string, error: unknown, expected: string): Reported => {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n');
    return { check: name, where: name, actual: `${actual}: ${reason}`, expected, fix: 'see npm test' };
  };
  const found: Reported[] = [];
  const uncaught = await uncaughtIn(async () => {
    try {
      for await (const one of await run(project)) {
        found.push({ check: name, ...one });
        if (isEnough(found)) break;
      }
    } catch (error) {
      found.push(finding('it cannot be checked', error, 'it can be compared with the spec'));
    }
  });
  const thrown = (error: string) => finding('its code throws outside of any call', error, 'errors are answered');
  return [...found, ...[...new Set(uncaught.map(String))].map(thrown)];
}

const collector = new AsyncLocalStorage<unknown[]>();
let collectors = 0;

/** Runs a task, and returns the errors that would end the process. */
async function uncaughtIn(task: () => Promise<void>): Promise<unknown[]> {
  const uncaught: unknown[] = [];
  if (collectors++ === 0)
    process.setUncaughtExceptionCaptureCallback((error) => {
      const errors = collector.getStore();
      if (!errors) throw error;
      errors.push(error);
    });
  await collector.run(uncaught, task);
  // Errors of callbacks that are already queued are thrown before.
  await setImmediate();
  if (--collectors === 0) process.setUncaughtExceptionCaptureCallback(null);
  return uncaught;
}
