import type { Check } from './check.ts';
import { breakingChanges } from './checks/breaking-changes.ts';
import { client } from './checks/client.ts';
import { conformance } from './checks/conformance.ts';
import { docs } from './checks/docs.ts';
import { generated } from './checks/generated.ts';
import { petctl } from './checks/petctl.ts';
import { routes } from './checks/routes.ts';
import { spec } from './checks/spec.ts';
import { versions } from './checks/versions.ts';

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
