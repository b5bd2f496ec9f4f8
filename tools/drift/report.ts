import type { Base } from './base.ts';
import type { Check, Reported } from './check.ts';

/** Prints the findings: for people, for machines, or as annotations of a GitHub workflow. */
export function printFindings(findings: readonly Reported[], base: Base, format: 'text' | 'json' | 'github'): void {
  if (format === 'json') return console.log(JSON.stringify(findings, null, 2));
  for (const { check, where, actual, expected, fix } of findings) {
    const line = `${check}: ${where}: ${actual}; the spec says: ${expected}; fix: ${fix}`;
    console.log(format === 'github' ? `::error title=drift in ${check}::${escaped(line)}` : line);
  }
  console.log(`breakingChanges compared spec/openapi.yaml with ${base.name}.`);
  console.log(findings.length === 0 ? 'Nothing drifts from spec/openapi.yaml.' : `${findings.length} found.`);
}

/** Prints what each check guarantees. */
export function printExplanation(checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, guarantee } of checks) console.log(`${name.padEnd(width)}  ${guarantee}`);
}

function escaped(line: string): string {
  return line.replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('\r', '%0D');
}
