// Fails when anything disagrees with spec/openapi.yaml, with one line for each finding. `--json` is for machines.
import type { Check, Finding } from './finding.ts';
import { print } from './print.ts';
import { clientFunctions } from './surfaces/client.ts';
import { future } from './surfaces/future.ts';
import { generatedCode } from './surfaces/generated.ts';
import { motion } from './surfaces/motion.ts';
import { routes } from './surfaces/routes.ts';
import { specItself } from './surfaces/spec.ts';
import { versions } from './surfaces/versions.ts';

const checks: Check[] = [specItself, generatedCode, routes, motion, clientFunctions, versions, future];
const found: Finding[] = (await Promise.all(checks.map((check) => check()))).flat();
print(found, process.argv.includes('--json') ? 'json' : process.env.GITHUB_ACTIONS ? 'github' : 'text');
process.exitCode = found.length > 0 ? 1 : 0;
