import type { Operation } from '@petstore/types';

/** The comment that editors show for an operation: summary, description, and deprecation. */
export function commentOf({
  summary,
  description,
  stability,
  deprecated,
  deprecatedSince,
  sunset,
  successor,
}: Operation): string[] {
  const lines = [summary, ...(description ? ['', ...description.split('\n')] : [])];
  if (stability) lines.push('', `Stability: ${stability}.`);
  if (deprecated) {
    const until = sunset ? ` It will be removed on ${sunset}.` : '';
    const instead = successor ? ` Use \`${successor}\` instead.` : '';
    lines.push('', `@deprecated since ${deprecatedSince ?? 'now'}.${until}${instead}`);
  }
  return lines.map((line) => line.replaceAll('*/', '*\\/'));
}
