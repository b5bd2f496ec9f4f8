// `npm run drift`: fails if anything disagrees with spec/openapi.yaml, and prints one line for each finding. `--json` prints
// the findings as JSON, `--explain` prints what each check guarantees. Arguments are the names of the checks to run.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../repository.ts';
import type { Check, Reported } from './check.ts';

// The compiler, the generator and the linter are large: compiled code of the last run saves a second.
enableCompileCache(join(root, 'node_modules/.cache/drift'));
const [{ checks, runCheck }, { openProject }] = await Promise.all([import('./checks.ts'), import('./project.ts')]);

const args = readArgs();
if (args?.explain) {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, guarantee } of checks) console.log(`${name.padEnd(width)}  ${guarantee}`);
} else if (args) {
  const project = openProject();
  const findings = (await Promise.all(args.chosen.map((check) => runCheck(check, project)))).flat();
  if (args.json) console.log(JSON.stringify(findings, null, 2));
  else {
    printFindings(findings, Boolean(process.env.GITHUB_ACTIONS));
    console.log(findings.length === 0 ? 'Nothing drifts from spec/openapi.yaml.' : `Findings: ${findings.length}.`);
  }
  process.exitCode = findings.length > 0 ? 1 : 0;
}

/** The options and the chosen checks; undefined after an error, which it prints. */
function readArgs(): { chosen: readonly Check[]; json?: boolean; explain?: boolean } | undefined {
  try {
    const options = { json: { type: 'boolean' }, explain: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const unknown = positionals.filter((name) => !checks.some((check) => check.name === name));
    if (unknown.length > 0) {
      const names = checks.map(({ name }) => name).join(', ');
      throw new Error(`There is no check '${unknown.join(', ')}'; there are ${names}.`);
    }
    return { ...values, chosen: checks.filter(({ name }) => positionals.length === 0 || positionals.includes(name)) };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    return undefined;
  }
}

/** Prints the findings: for people, or as annotations of a GitHub workflow. */
function printFindings(findings: readonly Reported[], isInGitHub: boolean): void {
  for (const { check, where, actual, expected, fix } of findings) {
    const line = `${check}: ${where}: ${actual}; expected: ${expected}; fix: ${fix}`;
    const escaped = line.replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('\r', '%0D');
    console.log(isInGitHub ? `::error title=drift in ${check}::${escaped}` : line);
  }
}
