import { createRequire } from 'node:module';
import type { Operation } from '@petstore/types';
import { bodyChecks, parameterChecks } from '../../gen/checks.gen.ts';
import type { RequestValues } from '../input.ts';
import { keywordChecks, nameOf } from './keywords.ts';

/**
 * The check that the validator compiled for the requests of an operation; undefined if its code cannot be generated. It is
 * part of the generated code, because loading the validator would double the startup time.
 */
export function generatedCheck(operation: Operation): ((request: RequestValues) => boolean) | undefined {
  const name = nameOf(operation);
  const [parameters, body] = [generated.parameters[name], generated.bodies[name]];
  return parameters && body && ((request) => parameters(request) && (request.body === undefined || body(request)));
}

type Checks = Readonly<Record<string, (request: RequestValues) => boolean>>;

const generated = { parameters: evaluated(parameterChecks), bodies: evaluated(bodyChecks) };

function evaluated(evaluate: typeof bodyChecks): Checks {
  const checks: Checks = {};
  evaluate(checks, requireOfValidator, keywordChecks);
  return checks;
}

/** Loads the modules of the validator's libraries that the checks use. */
function requireOfValidator(name: string): unknown {
  const require = createRequire(import.meta.url);
  return createRequire(require.resolve('express-openapi-validator'))(name);
}
