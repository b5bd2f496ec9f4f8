// Fails when anything disagrees with spec/openapi.yaml, with one line for each finding. `--json` is for machines.
import type { Check, Finding, Surface } from './finding.ts';
import { print } from './print.ts';

/** Each surface's check, loaded by itself: a tree that is broken in one place is still looked at everywhere else. */
const checks: Record<Surface, () => Promise<Check>> = {
  spec: async () => (await import('./surfaces/spec.ts')).specItself,
  generated: async () => (await import('./surfaces/generated.ts')).generatedCode,
  routes: async () => (await import('./surfaces/routes.ts')).routes,
  motion: async () => (await import('./surfaces/motion.ts')).motion,
  client: async () => (await import('./surfaces/client.ts')).clientFunctions,
  petctl: async () => (await import('./surfaces/petctl.ts')).petctl,
  docs: async () => (await import('./surfaces/docs.ts')).docs,
  versions: async () => (await import('./surfaces/versions.ts')).versions,
  future: async () => (await import('./surfaces/future.ts')).future,
};

async function look(surface: Surface): Promise<Finding[]> {
  try {
    return await (await checks[surface]())();
  } catch (error) {
    const what = `it cannot be checked: ${error instanceof Error ? error.message : error}`;
    return [{ surface, where: surface, what, spec: 'it can be held against the spec', mend: 'npm test tells more' }];
  }
}

const surfaces = Object.keys(checks) as Surface[];
const found = (await Promise.all(surfaces.map(look))).flat();
print(found, process.argv.includes('--json') ? 'json' : process.env.GITHUB_ACTIONS ? 'github' : 'text');
process.exitCode = found.length > 0 ? 1 : 0;
