// `npm run drift`: fails when anything disagrees with spec/openapi.yaml, with one line for each finding. `--json` prints
// the findings for machines, `--explain` what each check guarantees. Names of checks run these alone.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../repository.ts';
import type { Check, Reported } from './check.ts';
import type { Base } from './project.ts';

// The compiler, the generator and the linter are large: compiled code of the last run saves a second.
enableCompileCache(join(root, 'node_modules/.cache/drift'));
const [{ checks, runCheck }, { openProject }] = await Promise.all([import('./checks.ts'), import('./project.ts')]);

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, explain: { type: 'boolean' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`There is no check '${unknown.join(', ')}'; there are ${checks.map(({ name }) => name).join(', ')}.`);
  process.exitCode = 1;
} else if (values.explain) printExplanation(checks);
else {
  const project = openProject();
  const chosen = checks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const findings = (await Promise.all(chosen.map((check) => runCheck(check, project)))).flat();
  const format = values.json ? 'json' : process.env.GITHUB_ACTIONS ? 'github' : 'text';
  printFindings(findings, project.base, format);
  process.exitCode = findings.length > 0 ? 1 : 0;
}

/** Prints the findings: for people, for machines, or as annotations of a GitHub workflow. */
function printFindings(findings: readonly Reported[], base: Base, format: 'text' | 'json' | 'github'): void {
  if (format === 'json') return console.log(JSON.stringify(findings, null, 2));
  for (const { check, where, actual, expected, fix } of findings) {
    const line = `${check}: ${where}: ${actual}; the spec says: ${expected}; fix: ${fix}`;
    console.log(format === 'github' ? `::error title=drift in ${check}::${escaped(line)}` : line);
  }
  if (!base.problem) console.log(`breakingChanges compared spec/openapi.yaml with ${base.name}.`);
  console.log(findings.length === 0 ? 'Nothing drifts from spec/openapi.yaml.' : `${findings.length} found.`);
}

/** Prints what each check guarantees. */
function printExplanation(checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, guarantee } of checks) console.log(`${name.padEnd(width)}  ${guarantee}`);
}

function escaped(line: string): string {
  return line.replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('\r', '%0D');
}
