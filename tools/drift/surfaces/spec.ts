import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Finding } from '../finding.ts';
import { operationsOf } from '../future/spec.ts';
import { root, spec } from '../root.ts';

interface Problem {
  ruleId: string;
  message: string;
  location: { pointer?: string }[];
}

/** The spec itself: well-formed by the recommended rules, and honest about what goes away. */
export function specItself(): Finding[] {
  return [...lint(), ...sunsets(new Date().toISOString().slice(0, 10))];
}

function lint(): Finding[] {
  const { stdout, stderr } = spawnSync('redocly', ['lint', 'openapi.yaml', '--format=json'], {
    cwd: join(root, 'spec'),
    env: { ...process.env, PATH: `${join(root, 'spec/node_modules/.bin')}:${process.env.PATH}` },
    encoding: 'utf8',
  });
  if (!stdout) throw new Error(`redocly said nothing: ${stderr}`);
  const { problems }: { problems: Problem[] } = JSON.parse(stdout);
  return problems.map(({ ruleId, message, location }) => ({
    surface: 'spec',
    where: `spec/openapi.yaml${location[0]?.pointer ?? ''}`,
    what: message,
    spec: `rule ${ruleId}`,
    mend: 'edit spec/openapi.yaml',
  }));
}

/** A deprecated operation says when it goes away, and that day is still to come. */
function sunsets(today: string): Finding[] {
  const found: Finding[] = [];
  for (const [place, { deprecated, 'x-sunset': sunset }] of operationsOf(spec)) {
    if (!deprecated) continue;
    const valid = typeof sunset === 'string' && /^\d{4}-\d\d-\d\d$/.test(sunset) && !Number.isNaN(Date.parse(sunset));
    if (valid && sunset > today) continue;
    found.push({
      surface: 'spec',
      where: place,
      what: valid ? `its sunset ${sunset} has passed` : `its sunset is ${JSON.stringify(sunset)}`,
      spec: 'a deprecated operation carries x-sunset, a quoted date to come',
      mend: valid ? 'remove the operation, or give it more time' : 'edit spec/openapi.yaml',
    });
  }
  return found;
}
