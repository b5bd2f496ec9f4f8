import { createConfig, lintFromString } from '@redocly/openapi-core';
import { cached } from '../cached.ts';
import type { Check, Finding } from '../check.ts';
import { type Node, operationsOf } from '../openapi.ts';

export const spec: Check = {
  name: 'spec',
  guarantee:
    "spec/openapi.yaml follows redocly's recommended rules, and each deprecated operation has a sunset to come.",
  run: async (project) => [
    ...(await lint(project.read('spec/openapi.yaml'))),
    ...sunsets(project.spec, new Date().toISOString().slice(0, 10)),
  ],
};

const lint = cached(async (source): Promise<Finding[]> => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.yaml', config });
  return problems.map(({ ruleId, message, location }) => ({
    where: `spec/openapi.yaml${location[0]?.pointer ?? ''}`,
    actual: message,
    expected: `rule ${ruleId}`,
    fix: 'edit spec/openapi.yaml',
  }));
});

function sunsets(spec: Node, today: string): Finding[] {
  const findings: Finding[] = [];
  for (const [endpoint, { deprecated, 'x-sunset': sunset }] of operationsOf(spec)) {
    if (!deprecated) continue;
    const valid = typeof sunset === 'string' && /^\d{4}-\d\d-\d\d$/.test(sunset) && !Number.isNaN(Date.parse(sunset));
    if (valid && sunset > today) continue;
    findings.push({
      where: endpoint,
      actual: valid ? `its sunset ${sunset} has passed` : `its sunset is ${JSON.stringify(sunset)}`,
      expected: 'a deprecated operation carries x-sunset, a quoted date to come',
      fix: valid ? 'remove the operation, or give it more time' : 'edit spec/openapi.yaml',
    });
  }
  return findings;
}
