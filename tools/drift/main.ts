// `npm run drift`: fails when anything disagrees with spec/openapi.yaml, with one line for each finding. `--json` prints
// the findings for machines, `--explain` what each check guarantees.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../repository.ts';

// The compiler, the generator and the linter are large: compiled code of the last run saves a second.
enableCompileCache(join(root, 'node_modules/.cache/drift'));
const [{ runCheck }, { checks }, { openProject }, { printExplanation, printFindings }] = await Promise.all([
  import('./check.ts'),
  import('./checks.ts'),
  import('./project.ts'),
  import('./report.ts'),
]);

const { values } = parseArgs({ options: { json: { type: 'boolean' }, explain: { type: 'boolean' } } });
if (values.explain) printExplanation(checks);
else {
  const project = openProject();
  const findings = (await Promise.all(checks.map((check) => runCheck(check, project)))).flat();
  const format = values.json ? 'json' : process.env.GITHUB_ACTIONS ? 'github' : 'text';
  printFindings(findings, project.base, format);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
