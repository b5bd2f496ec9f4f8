import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Check, IsEnough, Reported } from './check.ts';
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
    // Errors of callbacks that are already queued are thrown before.
    await setImmediate();
    if (--collectors === 0) process.setUncaughtExceptionCaptureCallback(null);
  }
}
