// `npm run version` gives the packages and the spec the version that follows from the changesets,
// and generates the code again.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const specFile = 'spec/openapi.yaml';
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' });

run('changeset', 'version');
const { version } = JSON.parse(readFileSync('spec/package.json', 'utf8'));
writeFileSync(
  specFile,
  readFileSync(specFile, 'utf8').replace(/^ {2}version: .*$/m, `  version: ${version}`),
);
run('node', 'tools/generate/main.ts');
