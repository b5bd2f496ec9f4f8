import { join, relative } from 'node:path';
import { BaseResolver, createConfig, lintFromString, Source } from '@redocly/openapi-core';
import { resolve } from '../../openapi/document.ts';
import { root } from '../../repository.ts';
import { cached } from '../cached.ts';
import type { Check, Finding } from '../check.ts';
import { node, type Spec, specFile } from '../openapi.ts';
import type { Project } from '../project.ts';

export const spec: Check = {
  name: 'spec',
  guarantee:
    "spec/openapi.yaml passes redocly's recommended rules. Each deprecated operation has a future sunset, and valid dates. Each POST and PATCH refers to the idempotency key and declares the responses to repetitions, or gives a reason not to.",
  async *run(project) {
    yield* await lint(project.spec, project);
    yield* sunsets(project.spec, new Date().toISOString().slice(0, 10));
    yield* repetitions(project.spec);
  },
};

// The same spec means the same files, so the spec is the key of the cache.
const lint = cached(async (_: Spec, project: Project): Promise<Finding[]> => {
  const config = await createConfig({ extends: ['recommended'] });
  const files = new BaseResolver();
  files.loadExternalRef = async (path) => new Source(path, project.read(relative(root, path).replaceAll('\\', '/')));
  const problems = await lintFromString({
    source: project.read(specFile),
    absoluteRef: join(root, specFile),
    config,
    externalRefResolver: files,
  });
  return problems.map(({ ruleId, message, location: [position] }) =>
    specFinding(`${specFile}${position?.pointer ?? ''}`, message, `it follows the rule ${ruleId}`),
  );
});

const specFinding = (where: string, actual: string, expected: string): Finding => {
  return { where, actual, expected, fix: `edit ${specFile}` };
};

/** Missing declarations of idempotency: the key of a POST or PATCH, and the responses to repetitions. */
function* repetitions(spec: Spec): Generator<Finding> {
  // Operations that refer to the component share this object.
  const shared = [...spec.operations.values()].find(({ idempotencyKey }) => idempotencyKey)?.idempotencyKey;
  for (const [endpoint, { method, object, idempotencyKey }] of spec.operations) {
    const responses = node(object.responses);
    const missing = (part: string, expected: string) => specFinding(endpoint, `it does not declare ${part}`, expected);
    const { 'x-no-idempotency-key': reason } = node(object);
    const isExcused = typeof reason === 'string' && reason !== '';
    if (/^(POST|PATCH)$/.test(method) && !isExcused && (!idempotencyKey || idempotencyKey !== shared))
      yield missing(
        'the idempotency key',
        `${method} refers to the component, or says in x-no-idempotency-key why not`,
      );
    if (!idempotencyKey) continue;
    for (const status of ['409', '422'])
      if (!(status in responses))
        yield missing(status, `an operation with ${idempotencyKey.name} declares 409 and 422`);
    for (const status of Object.keys(responses).filter((code) => code.startsWith('2'))) {
      const { headers } = resolve(spec, node(responses[status]));
      const isDeclared = Object.keys(node(headers)).some((name) => name.toLowerCase() === 'idempotency-replayed');
      const expected = `a success of an operation with ${idempotencyKey.name} declares it`;
      if (!isDeclared) yield missing(`Idempotency-Replayed with ${status}`, expected);
    }
  }
}

/** Sunsets that are missing, malformed or past, and malformed dates of deprecation. */
function* sunsets({ operations }: Spec, today: string): Generator<Finding> {
  for (const [where, { object }] of operations) {
    const { deprecated, 'x-sunset': sunset, 'x-deprecated-since': since } = node(object);
    if (!deprecated) continue;
    const malformed = (key: string, value: unknown) =>
      specFinding(where, `${key} is ${JSON.stringify(value)}`, 'it is a quoted date');
    if (since !== undefined && !isDate(since)) yield malformed('x-deprecated-since', since);
    if (!isDate(sunset)) yield malformed('x-sunset of a deprecated operation', sunset);
    else if (sunset <= today) {
      const fix = 'remove the operation, or give it more time';
      yield { where, actual: `its sunset ${sunset} has passed`, expected: 'it is in the future', fix };
    }
  }
}

/** Whether a value is a day of the calendar, as `2030-12-05`. */
function isDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  // Date.parse takes 31 February for 3 March.
  const time = Date.parse(value);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}
