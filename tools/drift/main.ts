// `npm run drift [-- <check> …]`: says for each contradiction to spec/openapi.yaml what, where and how to end it.
import { join } from 'node:path';
import { refusalsOf } from '../generate/refusals.ts';
import { root, textOf } from '../repository.ts';
import { type Check, type Report, readSpec, type Spec, specFile } from './spec.ts';

/** The checks, with the usual way to end what they find. Those that start processes come first: the others keep this one busy. */
const checks: Readonly<
  Record<string, readonly [promise: string, fix: string, load: () => Promise<{ check: Check }>]>
> = {
  server: ['D3', 'correct the server, or the spec', () => import('./server.ts')],
  petctl: ['D5', 'run npm run generate, or correct petctl', () => import('./petctl.ts')],
  pages: ['D6', 'correct the page', () => import('./pages.ts')],
  client: ['D4', 'run npm run generate, or correct the client', () => import('./client.ts')],
  release: ['D7', 'undo it, or say major in a changeset', () => import('./release.ts')],
  document: ['D2', 'correct the spec', () => import('./document.ts')],
  generated: ['D1', 'run npm run generate', () => import('./generated.ts')],
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);
const lines = new Set<string>();
const text = textOf(specFile);
const refusals = await refusalsOf(text, join(root, specFile));
for (const { line, column, message } of refusals)
  lines.add(
    `D2 document: ${specFile}:${line}:${column}: ${message}; fix: correct the spec`.replaceAll(
      '\n',
      ' ',
    ),
  );
// The checks read only what is supported.
if (refusals.length === 0) {
  const spec = readSpec(text);
  await Promise.all(names.map((name) => run(name, spec)));
}
for (const line of [...lines].sort()) console.log(line);
console.log(lines.size === 0 ? `Nothing drifts from ${specFile}.` : `Findings: ${lines.size}.`);
process.exitCode = lines.size === 0 ? 0 : 1;

async function run(name: string, spec: Spec): Promise<void> {
  const [promise, usual, load] = checks[name] ?? [];
  if (!load)
    return void lines.add(
      `There is no check ${name}. The checks are ${Object.keys(checks).join(', ')}.`,
    );
  const report: Report = (what, fix = usual) =>
    void lines.add(`${promise} ${name}: ${what}; fix: ${fix}`.replaceAll('\n', ' '));
  try {
    const note = await (await load()).check(spec, report);
    if (note) console.log(`${promise} ${name}: ${note}`);
  } catch (error) {
    report(
      `the check failed: ${error instanceof Error ? error.stack : error}`,
      'correct what it says',
    );
  }
}
