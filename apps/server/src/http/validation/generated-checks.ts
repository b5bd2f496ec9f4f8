import { createRequire } from 'node:module';
import type { Operation } from '@petstore/types';
import { bodyChecks, parameterChecks } from '../../gen/checks.gen.ts';
import type { Checked } from '../input.ts';
import { keywordChecks } from './keywords.ts';

/**
 * Whether a request passes the checks that the validator compiled for its operation. They were generated down when the code
 * was generated, because loading the validator takes as long as all the rest of a start. Nothing where they cannot be generated.
 */
export function generatedCheck({ method, path }: Operation): ((request: Checked) => boolean) | undefined {
  const name = `${method} ${path}`;
  const [parameters, body] = [generated.parameters[name], generated.bodies[name]];
  return parameters && body && ((request) => parameters(request) && (request.body === undefined || body(request)));
}

type Checks = Readonly<Record<string, (request: Checked) => boolean>>;

const generated = { parameters: evaluated(parameterChecks), bodies: evaluated(bodyChecks) };

function evaluated(evaluate: typeof bodyChecks): Checks {
  const checks: Checks = {};
  evaluate(checks, requireOfValidator, keywordChecks);
  return checks;
}

/** Loads what the checks use of the libraries of the validator. */
function requireOfValidator(name: string): unknown {
  const require = createRequire(import.meta.url);
  return createRequire(require.resolve('express-openapi-validator'))(name);
}
