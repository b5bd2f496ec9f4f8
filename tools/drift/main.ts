// `npm run drift [-- <check> …]` reports each contradiction to spec/openapi.yaml: what it is,
// where, and how to correct it.
//
// `read-spec.ts` reads the spec. `cases.ts` makes the cases of each operation, with the values of
// `values.ts` and the requests of `requests.ts`. `server.ts`, `client.ts` and `petctl.ts` try each
// case, and report what differs to `findings.ts`.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { root, textOf } from '../repository.ts';
import { Cases } from './cases.ts';
import { Findings } from './findings.ts';
import { readSpec } from './read-spec.ts';
import { type Spec, specFile } from './spec.ts';

/** A check of one promise. It may return a line to print. */
type Check = (
  spec: Spec,
  findings: Findings,
  cases: Cases,
) => Promise<string | undefined> | Promise<void>;

interface Entry {
  readonly promise: string;
  /** How to correct most findings. */
  readonly fix: string;
  readonly load: () => Promise<{ check: Check }>;
}

const checks: Readonly<Record<string, Entry>> = {
  document: { promise: 'D2', fix: 'correct the spec', load: () => import('./document.ts') },
  generated: { promise: 'D1', fix: 'run npm run generate', load: () => import('./generated.ts') },
  server: { promise: 'D3', fix: 'correct it, or the spec', load: () => import('./server.ts') },
  client: { promise: 'D4', fix: 'correct the client', load: () => import('./client.ts') },
  petctl: { promise: 'D5', fix: 'correct petctl', load: () => import('./petctl.ts') },
  pages: { promise: 'D6', fix: 'correct the page', load: () => import('./pages.ts') },
  release: {
    promise: 'D7',
    fix: 'undo it, or say major in a changeset',
    load: () => import('./release.ts'),
  },
};

// Without this cache, a run takes a fifth longer.
enableCompileCache(join(root, 'tools/node_modules/.cache/compile'));
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);
const lines = await runChecks(names);
for (const line of lines) console.log(line);
console.log(lines.length === 0 ? `Nothing drifts from ${specFile}.` : `Findings: ${lines.length}.`);
process.exitCode = lines.length === 0 ? 0 : 1;

async function runChecks(names: readonly string[]): Promise<string[]> {
  const text = textOf(specFile);
  const refusals = names.includes('document') ? await refusalsIn(text) : [];
  // The checks can read only the supported part of OpenAPI.
  if (refusals.length > 0) return refusals;
  const spec = readSpec(text);
  const cases = new Cases(spec);
  const found = await Promise.all(names.map((name) => run(name, spec, cases)));
  return found.flat();
}

/** What the generator refuses in the spec. */
async function refusalsIn(text: string): Promise<string[]> {
  const { findRefusals } = await import('../generate/refusals.ts');
  const findings = new Findings('D2 document', 'correct the spec');
  for (const { line, column, message } of await findRefusals(text, join(root, specFile)))
    findings.add(`${specFile}:${line}:${column}: ${message}`);
  return findings.lines();
}

async function run(name: string, spec: Spec, cases: Cases): Promise<string[]> {
  const entry = checks[name];
  if (!entry)
    return [`There is no check ${name}. The checks are ${Object.keys(checks).join(', ')}.`];
  const { promise, fix, load } = entry;
  const findings = new Findings(`${promise} ${name}`, fix);
  try {
    const { check } = await load();
    const note = await check(spec, findings, cases);
    if (note) console.log(`${promise} ${name}: ${note}`);
  } catch (error) {
    const text = error instanceof Error ? error.stack : error;
    findings.add('the check failed', String(text), 'correct what it says');
  }
  return findings.lines();
}
