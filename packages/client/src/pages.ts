import type { Answer } from './connection.ts';

/** Where the page behind this one is: the target of `Link` with `rel="next"` (RFC 8288), as it was written. */
export function nextPage({ headers }: Answer): string | undefined {
  for (const [, target, parameters = ''] of (headers.get('link') ?? '').matchAll(
    /<([^>]*)>((?:\s*;[^,;"]*(?:"[^"]*")?)*)/g,
  )) {
    if (/;\s*rel\s*=\s*(?:next\b|"(?:[^"]*\s)?next(?:\s[^"]*)?")/i.test(parameters)) return target;
  }
  return undefined;
}
