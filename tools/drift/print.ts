import type { Finding } from './finding.ts';

/** Prints what was found: for people, for machines, or as annotations of a GitHub workflow. */
export function print(found: readonly Finding[], form: 'text' | 'json' | 'github'): void {
  if (form === 'json') console.log(JSON.stringify(found, null, 2));
  for (const { surface, where, what, spec, mend } of form === 'json' ? [] : found) {
    const line = `${surface}: ${where}: ${what}; the spec says: ${spec}; mend: ${mend}`;
    console.log(form === 'github' ? `::error title=drift in ${surface}::${escaped(line)}` : line);
  }
  if (form !== 'json')
    console.log(found.length === 0 ? 'Nothing drifts from spec/openapi.yaml.' : `${found.length} found.`);
}

function escaped(line: string): string {
  return line.replaceAll('%', '%25').replaceAll('\n', '%0A').replaceAll('\r', '%0D');
}
