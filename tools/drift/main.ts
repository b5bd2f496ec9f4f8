// `npm run drift [-- <check> …]`: says for each contradiction to spec/openapi.yaml what, where and how to end it.
import { join } from 'node:path';
import { refusalsOf } from '../generate/refusals.ts';
import { root, textOf } from '../repository.ts';
import type { Spec } from './interface.ts';
import { readSpec, specFile } from './oracle.ts';
import { Findings, type Report } from './report.ts';

/** A check of one promise. It may return a line to print. */
type Check = (spec: Spec, report: Report) => Promise<string | undefined> | Promise<void>;

interface Entry {
  readonly promise: string;
  /** How most findings are ended. */
  readonly fix: string;
  readonly load: () => Promise<{ check: Check }>;
}

const checks: Readonly<Record<string, Entry>> = {
  server: {
    promise: 'D3',
    fix: 'correct the server, or the spec',
    load: () => import('./server.ts'),
  },
  petctl: {
    promise: 'D5',
    fix: 'run npm run generate, or correct petctl',
    load: () => import('./petctl.ts'),
  },
  pages: { promise: 'D6', fix: 'correct the page', load: () => import('./pages.ts') },
  client: {
    promise: 'D4',
    fix: 'run npm run generate, or correct the client',
    load: () => import('./client.ts'),
  },
  release: {
    promise: 'D7',
    fix: 'undo it, or say major in a changeset',
    load: () => import('./release.ts'),
  },
  document: { promise: 'D2', fix: 'correct the spec', load: () => import('./document.ts') },
  generated: { promise: 'D1', fix: 'run npm run generate', load: () => import('./generated.ts') },
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);
const lines = await findings();
for (const line of lines) console.log(line);
console.log(lines.length === 0 ? `Nothing drifts from ${specFile}.` : `Findings: ${lines.length}.`);
process.exitCode = lines.length === 0 ? 0 : 1;

async function findings(): Promise<string[]> {
  const text = textOf(specFile);
  const refusals = await refusalsOf(text, join(root, specFile));
  // The checks read only what is supported.
  if (refusals.length > 0)
    return refusals.map(
      ({ line, column, message }) =>
        `D2 document: ${specFile}:${line}:${column}: ${message.replaceAll('\n', ' ')}; fix: correct the spec`,
    );
  const spec = readSpec(text);
  const found = await Promise.all(names.map((name) => run(name, spec)));
  return found.flat();
}

async function run(name: string, spec: Spec): Promise<string[]> {
  const entry = checks[name];
  if (!entry)
    return [`There is no check ${name}. The checks are ${Object.keys(checks).join(', ')}.`];
  const { promise, fix, load } = entry;
  const found = new Findings(`${promise} ${name}`, fix);
  try {
    const { check } = await load();
    const note = await check(spec, found.report);
    if (note) console.log(`${promise} ${name}: ${note}`);
  } catch (error) {
    const text = error instanceof Error ? error.stack : error;
    found.report('the check failed', String(text), 'correct what it says');
  }
  return found.lines();
}
